"""The vendor's kernel files with host programs of ours that follow its factories."""
