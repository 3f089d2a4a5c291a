"""Sessions saved to a file: a zip archive of embeddings (.ng) and a small JSON, without pickle.

`session.json` holds the title, what is given, which maps are shown, found groups that were given, and answers;
`map-1.ng`, `map-2.ng`, ... are the maps in the order in which they were made.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from netgiven.embedding import Embedding, load
from netgiven.errors import FormatError, InputError
from netgiven.explorer.session import MAX_HISTORY, MAX_MAPS, REPLIES, Answer, OpenedNetwork, Session

SUFFIX = ".session"
CONTENT, FORMAT, VERSION = "session.json", "netgiven session", 1
MAX_CONTENT = 100_000_000  # bytes of the JSON
PIECE = 1 << 20


@dataclass(frozen=True)
class SavedSession:
    """What a file of a session holds."""

    title: str
    maps: Sequence[Embedding]
    shown: Sequence[int]
    given: Sequence[str]
    columns: Mapping[str, list[str | None]] = field(default_factory=dict)  # of found groups
    answered: Sequence[Answer] = ()
    answers: Sequence[Answer] = ()


# ---- write ---------------------------------------------------------------------------------------------------------


def save_session(session: Session, path: Path) -> None:
    """Write all maps of a session, and what goes with them.

    Raises
    ------
    InputError
        If there is no map yet.
    """
    if not session.history or session.network is None:
        raise InputError("There is no map to save yet; fit one first.")
    last = session.history[-1].network.columns
    found = {str(name): values for name, values in session.network.columns.items() if name not in last}
    saved = SavedSession(
        session.title,
        session.history,
        session.shown,
        [session.options[index].text for index in session.chosen],
        {name: values.astype(object).where(values.notna(), None).tolist() for name, values in found.items()},
        session.answered,
        session.answers,
    )
    write_session(saved, path)


def write_session(saved: SavedSession, path: Path) -> None:
    """Write what a file of a session holds."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, ZipFile(path, "w") as archive:
        archive.writestr(CONTENT, json.dumps(_content(saved), allow_nan=False))
        for number, embedding in enumerate(saved.maps, start=1):
            one = Path(folder) / map_name(number)
            embedding.save(one)
            archive.write(one, one.name)
            one.unlink()


def map_name(number: int) -> str:
    """The name of a map in the archive; maps are numbered from 1."""
    return f"map-{number}.ng"


def _content(saved: SavedSession) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": saved.title,
        "maps": len(saved.maps),
        "shown": list(saved.shown),
        "given": list(saved.given),
        "columns": dict(saved.columns),
        "answered": [list(answer) for answer in saved.answered],
        "answers": [list(answer) for answer in saved.answers],
    }


# ---- read ----------------------------------------------------------------------------------------------------------


def read_session(path: Path, max_bytes: int | None = None) -> SavedSession:
    """Read a saved session.

    Parameters
    ----------
    path
        The file.
    max_bytes
        The largest content, for files that are not trusted.

    Raises
    ------
    FormatError
        If the file is no saved session, is damaged, or holds more than allowed.
    """
    try:
        with ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            content = _checked(_read_json(archive))
            maps = [_read_map(archive, number, Path(folder), max_bytes) for number in range(1, content["maps"] + 1)]
    except (BadZipFile, KeyError, EOFError, OSError, NotImplementedError) as error:
        raise FormatError(
            f"{path} is not a session of the explorer, or it is damaged ({error}). Save it again."
        ) from error
    nodes = {len(one) for one in maps}
    if len(nodes) > 1 or any(len(values) != len(maps[0]) for values in content["columns"].values()):
        raise FormatError(f"{path}: the maps of the session are not of the same network. Save it again.")
    answered, answers = ([_answer(one, len(maps[0])) for one in content[name]] for name in ("answered", "answers"))
    return SavedSession(
        content["title"], maps, content["shown"], content["given"], content["columns"], answered, answers
    )


def _read_json(archive: ZipFile) -> Any:
    if archive.getinfo(CONTENT).file_size > MAX_CONTENT:
        raise FormatError("The description of the session is too large. Save it again.")
    try:
        return json.loads(archive.read(CONTENT))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"The description of the session is damaged ({error}). Save it again.") from error


def _checked(content: Any) -> dict[str, Any]:
    """The content, if all of its parts are what they should be."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError("This is not a session of the explorer. Open a file that it saved.")
    if content.get("version") != VERSION:
        raise FormatError(f"The session has version {content.get('version')!r}; this netgiven reads version {VERSION}.")
    count = content.get("maps")
    is_right = (
        type(count) is int
        and 1 <= count <= MAX_HISTORY
        and isinstance(content.get("title"), str)
        and _are(content.get("shown"), int)
        and 1 <= len(content["shown"]) <= MAX_MAPS
        and all(0 <= place < count for place in content["shown"])
        and _are(content.get("given"), str)
        and isinstance(content.get("columns"), dict)
        and all(_are(values, (str, type(None))) for values in content["columns"].values())
        and all(isinstance(content.get(name), list) for name in ("answered", "answers"))
    )
    if not is_right:
        raise FormatError("The description of the session is damaged. Save it again.")
    return content


def _are(values: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) and value is not True for value in values)


def _answer(entry: Any, nodes: int) -> Answer:
    is_right = isinstance(entry, list) and len(entry) == 3 and _are(entry[:2], int) and entry[2] in REPLIES
    if not is_right or not 0 <= entry[0] < entry[1] < nodes:
        raise FormatError("An answer in the session is damaged. Save it again.")
    return Answer(*entry)


def _read_map(archive: ZipFile, number: int, folder: Path, max_bytes: int | None) -> Embedding:
    """One of the maps; the archive names only what is read, never where it is written."""
    target = folder / map_name(number)
    with archive.open(map_name(number)) as source, target.open("wb") as sink:
        size = 0
        while piece := source.read(PIECE):
            size += len(piece)
            if max_bytes is not None and size > max_bytes:
                raise FormatError(f"A map of the session has more than {max_bytes:,} bytes, the limit.")
            sink.write(piece)
    embedding = load(target)
    target.unlink()
    return embedding


def restore(session: Session, saved: SavedSession) -> None:
    """Go on with a saved session."""
    last = saved.maps[-1].network
    network = last.with_columns(dict(saved.columns)) if saved.columns else last
    session.open(OpenedNetwork(saved.title, network))
    session.history, session.shown = list(saved.maps), list(saved.shown)
    session.answered, session.answers = list(saved.answered), list(saved.answers)
    session.choose_texts(saved.given)
