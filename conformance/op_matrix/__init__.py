"""Every operation over dtypes, layouts, memories and awkward shapes, against torch."""
