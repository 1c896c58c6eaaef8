"""`python -m tilesmith.toolchain`: say which compiler would be used, and fail if there is none."""

import sys

from tilesmith.errors import ToolchainError
from tilesmith.toolchain.toolchain import find_compiler


def main() -> int:
    try:
        compiler = find_compiler()
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"C++20 compiler: {compiler}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
