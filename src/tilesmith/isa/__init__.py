"""The kernel API as data: each function of the vector unit, how it is called and set up, and its header."""
