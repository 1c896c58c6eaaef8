"""The emulator beside the vendor's simulator: recordings made here, run there, compared bit by bit."""
