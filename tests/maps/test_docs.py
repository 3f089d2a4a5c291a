"""The pictures of docs/maps.md exist."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "maps.md").read_text(encoding="utf-8")


def test_pictures_exist_and_are_small():
    shown = set(re.findall(r"\]\((pictures/[^)]+)\)", TEXT))
    assert shown == {f"pictures/maps/{path.name}" for path in (DOCS / "pictures" / "maps").glob("*.png")}
    assert max((DOCS / path).stat().st_size for path in shown) < 400_000
