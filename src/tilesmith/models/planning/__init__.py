"""A graph with known shapes -> a plan: fusion, layouts, and which kernel template does what."""
