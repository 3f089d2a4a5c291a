"""netgiven embed FOLDER --engine ray: a folder of part files, and an embedding in parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from netgiven.cli.printing import tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.distributed.cluster import Ray


def embed_folder(folder: Path, out: Path, where: Ray | str, settings: dict[str, Any], **others: Any) -> None:
    """Embed what lies in a folder; `others` are options that only one file can have."""
    from netgiven.embed_sharded import embed_parts

    if isinstance(where, str):
        raise InputError(
            f"{folder} is a folder; give the path of a file in it, or add --engine ray to read its files as parts."
        )
    for name, value in others.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')} goes with one file; {folder} is a folder of part files.")
    told = {name: value for name, value in settings.items() if value is not None}
    for name, value in told.items():
        if value == "auto" and name != "method":
            raise InputError(f"{name} auto was given; where links lie in parts nothing is chosen: give a number.")
    embedding = embed_parts(folder, out, engine=where, **told)
    if where.checkpoint is not None:
        Path(where.checkpoint).unlink(missing_ok=True)
    tell(f"{embedding}")
    tell(f"Written to {out}, in parts. Next: netgiven predict {out} --top 10")
