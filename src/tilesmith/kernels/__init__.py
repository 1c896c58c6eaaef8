"""The kernel library: TileLang templates that take an epilogue. They serve every backend."""
