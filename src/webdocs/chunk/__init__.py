"""Which passages of a page are found and cited as one?"""

from __future__ import annotations

from webdocs.chunk.pack import ChunkLimits, pack

__all__ = ["ChunkLimits", "pack"]
