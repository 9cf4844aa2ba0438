"""Which words does an embedder with word vectors read? Pure."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, in order: `HTTPServer` and `http_server` are the same two.

    Marks over letters go. Letters of other scripts than the Latin are no words here: the vectors do not know them, and
    a search for them is answered by the words themselves (training/README.md).
    """
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return [word.lower() for word in _WORD.findall(text)]
