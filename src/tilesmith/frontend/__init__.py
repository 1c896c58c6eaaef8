"""Front ends: the only places that know the IR of other packages."""
