"""Layouts: tiles to rows and back, with or without padding."""
