"""What a language model would take on a board, from its configuration alone: `tilesmith estimate`."""
