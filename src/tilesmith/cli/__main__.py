"""`python -m tilesmith.cli`."""

from tilesmith.cli import main

main()
