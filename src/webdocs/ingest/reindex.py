"""Re-embedding: the vectors of another embedder are made beside those that answer, then take their place in one step.

Each batch is committed, so a process that takes over goes on where the last one stood. Pages that a crawl writes
meanwhile are embedded too, since the switch waits until no chunk is without a vector.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from webdocs.chunk import plain_of
from webdocs.errors import WebdocsError
from webdocs.ingest.page import embedded_text
from webdocs.model import Generation, Reindex
from webdocs.ports import Embedder, Store

logger = logging.getLogger(__name__)

BATCH_CHUNKS = 64
"""One request of an endpoint; some seconds of a transformer on one core, which is what a kill may cost."""


class Reindexer:
    """Brings the index to the vectors of the embedder that is set. Thread-safe.

    Args:
        store: Holds the vectors.
        wanted: The embedder that is set.
        recipe: What it takes to make it again.
        switch: Told of the embedder when its vectors have begun to answer.
        answers: True where the vectors that answer now can be searched, false where words alone can.
    """

    def __init__(
        self, store: Store, wanted: Embedder, recipe: str, switch: Callable[[Embedder], None], *, answers: bool
    ) -> None:
        self._store = store
        self._wanted = wanted
        self._recipe = recipe
        self._switch = switch
        self._answers = answers
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closing = threading.Event()
        self._error = ""

    def start(self) -> Reindex:
        """Begin, or go on with what an earlier process began, unless it is under way or not needed."""
        with self._changed:
            if self._is_needed() and self._thread is None and not self._is_closing.is_set():
                self._error = ""
                begun = self._store.begin_generation(self._wanted.identity, self._wanted.dim, self._recipe)
                logger.info("reindex_started from=%s to=%s", self._store.generation().identity, begun.identity)
                self._thread = threading.Thread(target=self._run, args=(begun,), name="webdocs-reindex", daemon=True)
                self._thread.start()
        return self.state()

    def resume(self) -> None:
        """Go on, if an earlier process began."""
        begun = self._store.next_generation()
        if begun is not None and begun.identity == self._wanted.identity:
            self.start()

    def state(self) -> Reindex:
        """How far it is."""
        with self._changed:
            stored, wanted = self._store.generation().identity, self._wanted.identity
            _, chunks = self._store.counts()
            if stored == wanted:
                return Reindex("done", stored, stored, wanted, chunks, chunks)
            begun = self._store.next_generation()
            is_begun = begun is not None and begun.identity == wanted
            embedded = self._store.count_vectors(begun.number) if begun is not None and is_begun else 0
            status = "running" if self._thread is not None else "failed" if self._error else "needed"
            answering = stored if self._answers else ""
            return Reindex(status, answering, stored, wanted, chunks, embedded, self._error)

    def watch(self, timeout_s: float) -> Reindex:
        """The state when it does not run, or as it stands after the time-out."""
        with self._changed:
            self._changed.wait_for(lambda: self._thread is None, timeout_s)
        return self.state()

    def close(self) -> None:
        """Stop after the batch under way; what was made stays for the next process."""
        self._is_closing.set()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _is_needed(self) -> bool:
        return self._store.generation().identity != self._wanted.identity

    def _run(self, begun: Generation) -> None:
        error = ""
        try:
            self._embed_all(begun)
        except WebdocsError as fault:
            error = str(fault)
            logger.warning("reindex_failed to=%s reason=%s", begun.identity, error)
        except Exception as fault:  # the thread's boundary: a fault must show in the state
            error = f"An unexpected fault ended it ({type(fault).__name__}); see the log"
            logger.exception("reindex_broke to=%s", begun.identity)
        with self._changed:
            self._error = error
            self._thread = None
            self._changed.notify_all()

    def _embed_all(self, begun: Generation) -> None:
        after = 0
        while not self._is_closing.is_set():
            chunks = self._store.missing_vectors(begun.number, after, BATCH_CHUNKS)
            if chunks:
                texts = [embedded_text(chunk.heading_path, plain_of(chunk.text)) for chunk in chunks]
                ids = [chunk.chunk_id for chunk in chunks]
                self._store.add_vectors(begun.number, ids, self._wanted.embed(texts))
                after = ids[-1]
            elif self._store.switch_generation(begun.number):
                self._switch(self._wanted)
                logger.info("reindex_ended to=%s", begun.identity)
                return
            else:
                after = 0  # a crawl has replaced pages meanwhile
