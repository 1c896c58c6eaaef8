"""The same calls of ttnn 0.81.1 on its mock device and of tilesmith.ttnn: what each of them answers."""
