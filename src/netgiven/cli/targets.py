"""Files that a command writes: checked before the work, told after it."""

from __future__ import annotations

from pathlib import Path

from netgiven.cli.printing import tell
from netgiven.errors import InputError


def check_targets(picture: Path | None, out: Path | None, *sources: Path | None) -> None:
    """A sentence, if one of `--picture` and `--out` cannot be written, or would replace what is read."""
    from netgiven.array_file import check_target
    from netgiven.maps.canvas import check_ending

    for target in (picture, out):
        if target is not None:
            check_target(target, *sources)
    if picture is not None:
        check_ending(picture)
        if out is not None and picture.resolve() == out.resolve():
            raise InputError(f"{picture} was given to both --picture and --out; write to two files.")


def tell_written(*targets: Path | None) -> None:
    """Where things are now."""
    for target in targets:
        if target is not None:
            tell(f"Written to {target}.")
