"""Language models that generate: `tilesmith.compile(model).generate(...)`."""
