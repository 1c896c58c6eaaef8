"""The tile compiler's passes, one file each; `pipeline` lists them in order."""
