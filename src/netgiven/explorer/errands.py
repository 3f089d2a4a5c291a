"""What takes time is done in threads, and finished on the server's loop; what goes wrong is told in the page."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from bokeh.document import Document

from netgiven.errors import NetgivenError

log = logging.getLogger(__name__)

WORKERS = 4  # one that takes long must not hold up what is quick
MISHAP = "the explorer could not do what a visitor asked for"
MISTAKE = "Something went wrong that should not: a mistake of the program. Its terminal tells more."


class Errands:
    """The work of one page. `complain` is told where a problem belongs, and a sentence."""

    def __init__(self, document: Document, complain: Callable[[str, str], None]) -> None:
        self._document, self._complain = document, complain
        self._closed = False
        self._asked: Counter[str] = Counter()
        self._work = ThreadPoolExecutor(WORKERS, thread_name_prefix="netgiven explorer")

    def guarded(self, where: str, act: Callable[..., None], *given: Any) -> None:
        """What a visitor did wrong is told in the page, in the place where it belongs; so is that we did."""
        try:
            act(*given)
        except NetgivenError as problem:
            self._complain(where, str(problem))
        except Exception:  # in full in the terminal
            log.exception(MISHAP)
            self._complain(where, MISTAKE)

    def then(self, where: str, act: Callable[[], Any], finish: Callable[[Any], None]) -> None:
        """Do something in a thread, and go on with what it found."""

        def work() -> None:
            try:
                found = act()
            except NetgivenError as problem:
                self._next(partial(self._complain, where, str(problem)))
            except Exception:  # told in the page, and in full in the terminal
                log.exception(MISHAP)
                self._next(partial(self._complain, where, MISTAKE))
            else:
                self._next(partial(self.guarded, where, finish, found))

        self._work.submit(work)

    def latest(self, kind: str, act: Callable[[], Any], finish: Callable[[Any], None]) -> None:
        """The same, where only what was asked for last of its kind is wanted."""
        self.forget(kind)
        asked = self._asked[kind]

        def is_wanted() -> bool:
            return asked == self._asked[kind]

        self.then("page", lambda: act() if is_wanted() else None, lambda found: finish(found) if is_wanted() else None)

    def forget(self, kind: str) -> None:
        """What was asked for of a kind is not wanted any more."""
        self._asked[kind] += 1

    def _next(self, act: Callable[[], None]) -> None:
        if not self._closed:
            self._document.add_next_tick_callback(act)

    def close(self) -> None:
        """The visitor has left."""
        self._closed = True
        self._work.shutdown(wait=False, cancel_futures=True)
