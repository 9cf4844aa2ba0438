"""The embedders that need no model of the user: what `static` knows, and that it reaches no network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.errors import EmbedderError


def test_identities_differ_where_vectors_do() -> None:
    identities = [StaticEmbedder(64).identity, StaticEmbedder(256).identity, HashingEmbedder(64).identity]
    assert len(set(identities)) == 3


def test_static_knows_a_paraphrase_that_shares_no_word() -> None:
    query, near, far = StaticEmbedder().embed(["delete rows", "remove records", "paint a fence"])
    assert query @ near > query @ far + 0.1


def test_static_refuses_a_length_that_it_has_not() -> None:
    with pytest.raises(EmbedderError, match="length 100"):
        StaticEmbedder(100)


def test_static_opens_no_socket_and_does_not_import_its_package() -> None:
    code = (
        "import sys\n"
        "def refuse(event, args):\n"
        "    if event.startswith('socket.'):\n"
        "        raise SystemExit(f'network: {event}')\n"
        "sys.addaudithook(refuse)\n"
        "from webdocs.embed.static import StaticEmbedder\n"
        "StaticEmbedder().embed(['a text'])\n"
        "print('wordllama' in sys.modules, 'huggingface_hub' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False False", done.stderr + done.stdout
