"""How each tile operation becomes a compute stage; one file each."""
