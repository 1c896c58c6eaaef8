"""Wrong kernels are refused with their line and a way out, and the docs show what is said now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.errors import wrong_kernels
from tests.errors.gallery import PAGE, mistakes, page

from tilesmith.errors import TilesmithError, UserError

named = pytest.mark.parametrize("mistake", mistakes(), ids=lambda one: one.__name__)


@named
def test_a_mistake_is_the_users_and_comes_with_a_remedy(mistake: Callable[[], None]) -> None:
    with pytest.raises(UserError) as caught:
        mistake()
    assert caught.value.remedy


@named
def test_a_message_about_a_kernel_points_into_it(mistake: Callable[[], None]) -> None:
    with pytest.raises(TilesmithError) as caught:
        mistake()
    file, _, line = caught.value.where.rpartition(":")
    if line.isdigit():
        assert Path(file).name == Path(wrong_kernels.__file__).name
        assert int(line) > 0


def test_there_are_twenty_and_the_page_shows_them() -> None:
    assert len(mistakes()) >= 20
    assert page() == PAGE.read_text(encoding="utf-8"), "run `python tests/errors/gallery.py`"
