"""How the vendor's shipped kernels are found and compiled against the emulator's headers."""
