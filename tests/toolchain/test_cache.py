"""The cache builds once, and never hands out what was not built whole."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tilesmith.errors import CacheError, TilesmithWarning
from tilesmith.toolchain import cache as cache_module
from tilesmith.toolchain import fallback
from tilesmith.toolchain.cache import Cache, Usage

KEY = "0123456789abcdef"


class Builder:
    """Writes a known content and counts how often it was asked to."""

    def __init__(self, content: bytes = b"content") -> None:
        self.content = content
        self.calls = 0

    def __call__(self, path: Path) -> None:
        self.calls += 1
        path.write_bytes(self.content)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture(autouse=True)
def forget_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_verified", {})
    monkeypatch.setattr(fallback, "_warned", set())
    monkeypatch.setattr(fallback, "_private", {})


def test_builds_once(cache: Cache) -> None:
    build = Builder()
    first = cache.get_or_build(KEY, build)
    assert first.read_bytes() == b"content"
    assert cache.get_or_build(KEY, build) == first
    assert build.calls == 1
    assert cache.usage() == Usage(1, len(b"content"))


def test_keys_and_suffixes_do_not_mix(cache: Cache) -> None:
    cache.get_or_build(KEY, Builder(b"library"), ".so")
    assert cache.get_or_build(KEY, Builder(b"table"), ".json").read_bytes() == b"table"
    assert cache.get_or_build(KEY + "0", Builder(b"longer key"), ".so").read_bytes() == b"longer key"
    assert cache.get_or_build(KEY, Builder(), ".so").read_bytes() == b"library"


@pytest.mark.parametrize("damage", [b"", b"conten", b"Content", b"content and more"])
def test_a_damaged_entry_is_built_again(cache: Cache, damage: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = cache.get_or_build(KEY, Builder())
    entry.write_bytes(damage)
    monkeypatch.setattr(cache_module, "_verified", {})  # as in a later process
    again = Builder()
    assert cache.get_or_build(KEY, again).read_bytes() == b"content"
    assert again.calls == 1


def test_a_build_that_fails_leaves_nothing(cache: Cache) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get_or_build(KEY, fail)
    assert cache.usage().entries == 0
    assert list((cache.root / "building").iterdir()) == []
    assert cache.get_or_build(KEY, Builder()).read_bytes() == b"content"


def test_left_overs_of_a_killed_build_are_removed(cache: Cache) -> None:
    left_over = cache.root / "building" / KEY / "tmpx"
    left_over.mkdir(parents=True)
    (left_over / "out.so").write_bytes(b"half")
    (cache.root / "building" / f"{KEY}.lock").touch()
    assert cache.get_or_build(KEY, Builder()).read_bytes() == b"content"
    assert not left_over.exists()


def test_threads_share_one_build(cache: Cache) -> None:
    build = Builder()
    gate = threading.Barrier(8)

    def work() -> None:
        gate.wait()
        cache.get_or_build(KEY, build)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert build.calls == 1


def fails_with(number: int) -> Callable[..., Any]:
    def fail(*arguments: object, **options: object) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_disk_that_refuses_is_told_once_and_worked_around(
    cache: Cache, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def only_elsewhere(source: Path, target: Path) -> None:
        if target.is_relative_to(cache.root):
            raise OSError(number, os.strerror(number))
        replace(source, target)

    monkeypatch.setattr(os, "replace", only_elsewhere)
    with pytest.warns(TilesmithWarning, match=os.strerror(number)):
        built = cache.get_or_build(KEY, Builder(b"one"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = cache.get_or_build("f" * 16, Builder(b"two"))
    assert (built.read_bytes(), other.read_bytes()) == (b"one", b"two")
    assert not built.is_relative_to(cache.root)
    assert cache.usage().entries == 0


def test_a_compiler_without_disk_space_is_not_taken_for_a_bad_source(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", fails_with(errno.ENOSPC))

    def build(path: Path) -> None:
        if path.is_relative_to(cache.root):
            raise RuntimeError("the compiler failed")
        path.write_bytes(b"content")

    with pytest.warns(TilesmithWarning, match="No space left"):
        assert cache.get_or_build(KEY, build).read_bytes() == b"content"


def test_no_place_at_all_is_an_error_with_a_remedy(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", fails_with(errno.ENOSPC))
    with (
        pytest.warns(TilesmithWarning),
        pytest.raises(CacheError, match="cannot keep compiled code anywhere") as caught,
    ):
        cache.get_or_build(KEY, Builder())
    assert "TILESMITH_CACHE_DIR" in caught.value.remedy


def test_a_directory_others_can_write_is_not_trusted(cache: Cache) -> None:
    cache.root.mkdir()
    cache.root.chmod(0o777)
    with pytest.warns(TilesmithWarning, match="every user may write"):
        built = cache.get_or_build(KEY, Builder())
    assert not built.is_relative_to(cache.root)


def test_a_file_in_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a directory")
    with pytest.warns(TilesmithWarning, match="not a directory"):
        assert Cache(tmp_path / "cache").get_or_build(KEY, Builder()).read_bytes() == b"content"


def test_a_directory_of_another_user_is_not_trusted(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.root.mkdir()
    os.chown(cache.root, 12345, -1) if os.geteuid() == 0 else monkeypatch.setattr(os, "geteuid", lambda: 1)
    with pytest.warns(TilesmithWarning, match="another user"):
        cache.get_or_build(KEY, Builder())


def test_a_file_system_without_locks_still_builds(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", fails_with(errno.ENOLCK))
    assert cache.get_or_build(KEY, Builder()).read_bytes() == b"content"


def test_the_private_directory_goes_with_its_process_only(monkeypatch: pytest.MonkeyPatch) -> None:
    root = fallback.private_root()
    assert fallback.private_root() == root
    fallback._remove(root, owner=os.getpid() + 1)  # what a forked child would do when it ends
    assert root.exists()
    fallback._remove(root, owner=os.getpid())
    assert not root.exists()


def test_without_any_place_the_private_directory_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "mkdtemp", fails_with(errno.ENOSPC))
    with pytest.raises(CacheError, match="No space left"):
        fallback.private_root()


def test_clear_removes_entries_and_abandoned_builds_only(cache: Cache) -> None:
    entry = cache.get_or_build(KEY, Builder())
    abandoned = cache.root / "building" / "dead"
    abandoned.mkdir()

    def clear_meanwhile(path: Path) -> None:
        assert cache.clear().entries == 1
        path.write_bytes(b"content")

    cache.get_or_build("f" * 16, clear_meanwhile)
    assert not entry.exists()
    assert not abandoned.exists()
    assert cache.usage().entries == 1
    assert cache.clear(older_than_days=1).entries == 0
