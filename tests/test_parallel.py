import numpy as np
import pytest

from netgiven.errors import InputError
from netgiven.parallel import Threads, available_cpus, threads


def test_ranges_cover_everything_once():
    for count in (1, 2, 3):
        with threads(count) as engine:
            for size in (0, 1, 2, 7, 100):
                seen = np.zeros(size, dtype=int)

                def mark(start, stop, out):
                    out[start:stop] += 1

                engine.run(mark, size, seen)
                assert np.all(seen == 1)


def test_an_error_in_a_thread_comes_out():
    def fail(start, stop):
        raise ValueError("no")

    with threads(2) as engine, pytest.raises(ValueError, match="no"):
        engine.run(fail, 10)


def test_no_thread_is_not_enough():
    with pytest.raises(InputError, match="at least 1"):
        Threads(0)
    assert available_cpus() >= 1
