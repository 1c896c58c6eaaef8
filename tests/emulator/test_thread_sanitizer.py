"""The threads of the runtime under ThreadSanitizer: two programs at once, with 1, 2 and 4 threads each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.emulator.arithmetic.test_arithmetic import NATIVE

MAIN = """
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
constexpr uint32_t tile = 1024, rows = 2, cols = 3;
std::vector<uint32_t> product(uint32_t threads, bool fast) {
    constexpr uint32_t steps = 40;  // more than may be pending
    std::vector<uint32_t> a(steps * rows * tile), b(steps * cols * tile), dst(rows * cols * tile, 0);
    for (uint32_t i = 0; i < a.size(); ++i) a[i] = (0x3F80u + i % 97) << 16;
    for (uint32_t i = 0; i < b.size(); ++i) b[i] = (0xBF00u + i % 89) << 16;
    num_matmul_blocks(a.data(), b.data(), steps, rows, cols, fast, false, threads, dst.data());
    return dst;
}
int main() {
    const std::vector<uint32_t> expected[] = {product(1, false), product(1, true)};
    int wrong = 0;
    for (uint32_t threads : {1u, 2u, 4u}) {
        int others = 0;
        std::thread second([&] {
            for (bool fast : {false, true}) others += product(threads, fast) != expected[fast];
        });
        for (bool fast : {false, true}) wrong += product(threads, fast) != expected[fast];
        second.join();
        wrong += others;
    }
    std::printf("%d wrong\\n", wrong);
    std::fflush(stdout);
    std::_Exit(wrong != 0);  // the workers never end
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_runtime_has_no_races(tmp_path: Path) -> None:
    units = "".join(f'#include "num/{path.name}"\n' for path in sorted((NATIVE / "num").glob("*.cpp")))
    calls = Path(__file__).parent / "arithmetic" / "calls.cpp"
    (tmp_path / "main.cpp").write_text(f'{units}#include "{calls}"\n{MAIN}')
    flags = ["-std=c++20", "-O1", "-g", "-march=native", "-fsanitize=thread", "-pthread", "-w"]
    folders = [f"-I{NATIVE}", f"-I{NATIVE.parent / 'include'}"]
    built = subprocess.run(
        ["g++", *flags, *folders, str(tmp_path / "main.cpp"), "-o", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
    )
    if "cannot find" in built.stderr and "tsan" in built.stderr:
        pytest.skip("g++ has no ThreadSanitizer here")
    assert built.returncode == 0, built.stderr
    result = subprocess.run([str(tmp_path / "run")], capture_output=True, text=True, check=False, timeout=300)
    assert "WARNING: ThreadSanitizer" not in result.stderr, result.stderr
    assert result.stdout == "0 wrong\n", result.stderr
    assert result.returncode == 0
