"""Test files that plans for operations print: taken out of Markdown, completed, run."""
