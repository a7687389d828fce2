"""Which engines can be built."""

from __future__ import annotations

import pytest

from engines.build.builder import building

pytestmark = pytest.mark.unit


def test_kokoro_can_be_built() -> None:
    module = building("kokoro")
    assert callable(module.build)
    assert callable(module.verify)


@pytest.mark.parametrize("name", ["silero", "nothing", "", "../kokoro", "kokoro.engine"])
def test_others_are_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match="no files to build"):
        building(name)
