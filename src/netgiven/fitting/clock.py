"""What a fit costs, stage by stage."""

from __future__ import annotations

import time


class Clock:
    """CPU seconds of each stage, from one `stop` to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.process_time()

    def stop(self, stage: str) -> None:
        """The end of a stage, and the beginning of the next."""
        now = time.process_time()
        self.seconds[stage], self._since = now - self._since, now
