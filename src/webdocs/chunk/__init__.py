"""Which passages of a page are found and cited as one?"""

from __future__ import annotations

from webdocs.chunk.pack import ChunkLimits, pack
from webdocs.chunk.plain import plain_of

__all__ = ["ChunkLimits", "pack", "plain_of"]
