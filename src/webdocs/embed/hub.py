"""A model from a hub: fetched once, because the user named it as `hub:OWNER/NAME`, and read from the cache after that.

This is the one place of the package that downloads. The cache is that of `huggingface_hub`, shared with other
programs (`HF_HOME`); a hub elsewhere is named by `HF_ENDPOINT`.
"""

from __future__ import annotations

import logging
from pathlib import Path

import httpx2

from webdocs.embed.model_folder import CONFIG_FILES, WEIGHTS
from webdocs.errors import EmbedderError

logger = logging.getLogger(__name__)

PREFIX = "hub:"

HUB_TIMEOUT_S = 10.0
"""Our choice: the start waits for it."""


def find_model(name: str) -> str:
    """The folder of a model: `name` itself, or for `hub:OWNER/NAME[@REVISION]` its folder in the cache.

    Raises:
        EmbedderError: the hub cannot be reached, or has no such model.
    """
    if not name.startswith(PREFIX):
        return name
    repository, _, revision = name.removeprefix(PREFIX).partition("@")
    from huggingface_hub.errors import HFValidationError

    try:
        return _find_cached(repository, revision) or _fetch(repository, revision)
    except HFValidationError as error:
        raise EmbedderError(f"{repository!r} is no name of a model in a hub", "Name it as hub:OWNER/NAME.") from error
    except (httpx2.HTTPError, OSError) as error:  # what the hub's own errors derive from
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise EmbedderError(
            f"The model {repository!r} could not be fetched from the hub: {reason}",
            "Correct WEBDOCS_EMBED_MODEL, or bring the model's folder here by other means and name that.",
        ) from error


def _find_cached(repository: str, revision: str) -> str:
    """The folder in the cache; empty where another program has left only a part of the model there."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = snapshot_download(repository, revision=revision or None, local_files_only=True)
    except LocalEntryNotFoundError:
        return ""
    is_whole = any((Path(folder) / name).is_file() for name in WEIGHTS) and (Path(folder) / "tokenizer.json").is_file()
    return folder if is_whole else ""


def _fetch(repository: str, revision: str) -> str:
    """Download the first weights that can be run, and what belongs to them; answers the folder."""
    from huggingface_hub import HfApi, snapshot_download

    info = HfApi().model_info(repository, revision=revision or None, timeout=HUB_TIMEOUT_S)
    offered = {file.rfilename for file in info.siblings or ()}
    weights = next((name for name in WEIGHTS if name in offered), "")
    if not weights:
        raise EmbedderError(
            f"The model {repository!r} has no ONNX weights in the hub", "Name a model that was exported to ONNX."
        )
    logger.info("model_fetched name=%s weights=%s", repository, weights)
    return snapshot_download(
        repository, revision=revision or None, allow_patterns=[weights, f"{weights}_data*", *CONFIG_FILES]
    )
