"""Compiling ahead: kernels are compiled while the user reads the first page, not when the first map is fitted.

Numba compiles a kernel at its first call and keeps the result on disk, so only the first use on a machine is slow. Here
a small network is fitted and asked everything that the page can ask. That runs in a process of its own, which fills the
cache without holding Python's lock, so the page stays quick; then in a thread of the server, which loads what is
cached by then, or compiles it if no cache can be written.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np

from netgiven import priors
from netgiven.datasets import company
from netgiven.embedding import Embedding
from netgiven.explorer import tables
from netgiven.explorer.background import FittingJob
from netgiven.fitting.objectives import sampled
from netgiven.fitting.settings import Settings, map_settings
from netgiven.network import Network

log = logging.getLogger(__name__)

PEOPLE = 30  # of the network that is fitted
PATIENCE = 19  # lower priority of the process: what the user waits for comes first
PREPARING = (
    "Preparing: compiling the numerical routines for this machine, once. A first map may take some seconds more."
)
FAILED = "compiling ahead failed; the first map compiles what it needs"


class WarmUp:
    """Compiles the kernels in the background.

    >>> warm_up = WarmUp()
    >>> warm_up.done, warm_up.message
    (False, '')
    """

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="netgiven warm-up", daemon=True)
        self._process: subprocess.Popen[str] | None = None
        self._stopped, self._done = threading.Event(), threading.Event()

    @property
    def done(self) -> bool:
        """Whether everything is compiled, or could not be."""
        return self._done.is_set()

    @property
    def message(self) -> str:
        """What is going on, for the page; empty if nothing is."""
        return PREPARING if self._thread.is_alive() and not self.done else ""

    def start(self) -> None:
        """Start the work; returns at once."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; False if it has not come after so many seconds."""
        return self._done.wait(seconds)

    def stop(self) -> None:
        """End the work, because the server ends."""
        self._stopped.set()
        if self._process is not None:
            self._process.terminate()

    def _run(self) -> None:
        try:
            self._compile_apart()
            if not self._stopped.is_set():
                compile_kernels()
        except Exception:  # nothing is lost but time, and the terminal shows why
            log.exception(FAILED)
        finally:
            self._done.set()

    def _compile_apart(self) -> None:
        """Fill the cache from a process of its own, and pass on what it complains about."""
        command = [sys.executable, "-m", "netgiven.explorer.warm_up"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as self._process:
            if self._stopped.is_set():
                self._process.terminate()
            _, errors = self._process.communicate()
        if self._process.returncode and not self._stopped.is_set():
            log.warning("%s: %s", FAILED, errors.strip())


def compile_kernels() -> None:
    """Call the kernels that maps and answers need, with arguments of the types that the page has.

    One is left to the fit that needs it: products with the Hessian, for some priors with common neighbours (1.5 s).

    Examples
    --------
    >>> compile_kernels()
    """
    network, given = company(PEOPLE), priors.degrees() + priors.blocks("department")
    _fit_and_ask(network, given)
    _fit_and_ask(_with_unobserved(network), given)


def _fit_and_ask(network: Network, given: priors.Knowledge) -> None:
    """With all pairs first, then with a sample of them.

    A map is fitted the other way round: its reach is chosen with a sample. So if the user does not wait, this process
    and the server compile from both ends, and what one has compiled the other finds in the cache.
    """
    settings = replace(map_settings(Settings(), network.node_count), max_steps=2)
    _ask(_fitted(network, given, settings))
    _fitted(network, given, replace(settings, method=sampled(1), reach=2.0))


def _with_unobserved(network: Network) -> Network:
    """The network with a few unobserved pairs."""
    linked = set(map(tuple, network.links().tolist()))
    pairs = [(0, other) for other in range(1, network.node_count) if (0, other) not in linked][:3]
    return network.with_unobserved([(network.nodes[one], network.nodes[other]) for one, other in pairs])


def _fitted(network: Network, given: priors.Knowledge, settings: Settings) -> Embedding:
    job = FittingJob(network, given, settings, threads=1)
    job.start()
    job.wait()
    if job.embedding is None:
        raise RuntimeError(job.error or "the fit failed")
    return job.embedding


def _ask(embedding: Embedding) -> None:
    """Everything that the page shows of a map."""
    some = np.arange(5, dtype=np.int64)
    _ = embedding.bits_per_link
    tables.likeliest_links(embedding, tables.LIKELIEST, threads=1)
    tables.node_table(embedding, 0)
    tables.pair_table(embedding, 0, 1)
    tables.group_table(embedding, some)
    if tables.needed_columns([embedding]):
        tables.place_new_node(embedding, some[:2], {"department": embedding.network.column("department").iloc[0]})
    for strategy in tables.STRATEGIES if tables.has_unobserved_pairs(embedding.network) else ():
        tables.pairs_to_check(embedding, strategy)


if __name__ == "__main__":
    if hasattr(os, "nice"):  # not on Windows
        os.nice(PATIENCE)
    compile_kernels()
