"""Every setting once: its type, unit, default, range and help; the rest derives from that row.

The environment name is `WEBDOCS_` and the upper-case field name, the flag is the field name with dashes, the
documentation row is `document_settings()`. Order of precedence: defaults < file < environment < flags.
The file is TOML, at `WEBDOCS_CONFIG` or `config.toml` in the user's configuration folder.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import platformdirs

from webdocs.errors import SettingError

PREFIX = "WEBDOCS_"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value of one setting must be.

    Attributes:
        help: One sentence for `--help`, the docs and `.env.example`.
        parse: Text to value; raises ValueError.
        accepts: The accepted form in words, for the error.
        secret: Never logged or printed, and taken from the environment alone: others can read files and command lines.
    """

    help: str
    parse: Callable[[str], object]
    accepts: str
    secret: bool = False


def _integer(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return parse


def _number(low: float, high: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = float(text)
        if not low <= value <= high:  # also refuses NaN
            raise ValueError
        return value

    return parse


_BOOLEANS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


def _boolean(text: str) -> bool:
    try:
        return _BOOLEANS[text.strip().lower()]
    except KeyError:
        raise ValueError from None


def _choice(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return parse


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _text(text: str) -> str:
    if any(ord(char) < 32 for char in text):
        raise ValueError
    return text


def _dimensions(text: str) -> int:
    value = int(text)
    if value and not 32 <= value <= 4096:
        raise ValueError
    return value


def _endpoint(text: str) -> str:
    parts = urlsplit(_text(text))
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError
    return text


def default_db_path() -> str:
    """An existing ./data/webdocs.duckdb, as in the first webdocs, else one file in the user's data folder."""
    old = Path("data/webdocs.duckdb")
    if old.is_file():
        return str(old.resolve())
    return str(Path(platformdirs.user_data_dir("webdocs", appauthor=False)) / "webdocs.duckdb")


def _database(text: str) -> str:
    if not text.strip():
        raise ValueError
    return text if text == ":memory:" else str(Path(text).expanduser().resolve())


def _setting(default: object, rule: Rule) -> Any:
    if callable(default):
        return field(default_factory=cast("Callable[[], object]", default), metadata={"rule": rule})
    return field(default=default, metadata={"rule": rule}, repr=not rule.secret)


def _whole(default: int, low: int, high: int, help_text: str, unit: str = "") -> Any:
    accepts = f"a whole number from {low} to {high}{f', in {unit}' if unit else ''}"
    return _setting(default, Rule(help_text, _integer(low, high), accepts))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one process, checked. Build it with `load_settings`."""

    db_path: str = _setting(
        default_db_path,
        Rule("The database file; `:memory:` keeps nothing.", _database, "a file path or :memory:"),
    )
    embedder: str = _setting(
        "static",
        Rule(
            "What turns text into vectors: `static` (bundled word vectors), `hashing` (no model at all), `transformer` "
            "(a model in a folder, run here) or `openai` (any endpoint that speaks OpenAI's protocol).",
            _choice("static", "hashing", "transformer", "openai"),
            "static, hashing, transformer or openai",
        ),
    )
    embed_dim: int = _setting(
        0,
        Rule(
            "Length of a vector; 0 is the embedder's own: 256 for `static` (which has 64 and 128 too) and `hashing`.",
            _dimensions,
            "0 or a whole number from 32 to 4096",
        ),
    )
    embed_model: str = _setting(
        "",
        Rule(
            "The model: for `transformer` a folder with ONNX weights, or hub:OWNER/NAME to fetch one; for `openai` its "
            "name at the endpoint.",
            _text,
            "one line of text",
        ),
    )
    embed_url: str = _setting(
        "https://api.openai.com/v1",
        Rule(
            "Where the endpoint of `openai` is; Ollama is at http://127.0.0.1:11434/v1.",
            _endpoint,
            "an http or https URL without user and password",
        ),
    )
    embed_api_key: str = _setting(
        "",
        Rule(
            "The key for `WEBDOCS_EMBED_URL`. For OpenAI itself `OPENAI_API_KEY` does as well.",
            _text,
            "one line of text",
            secret=True,
        ),
    )
    embed_max_tokens: int = _whole(512, 32, 32768, "Longest text that the model of `openai` reads.", "tokens")
    embed_timeout: float = _setting(
        60.0,
        Rule(
            "Longest wait for one answer of the endpoint.", _number(0.1, 3600), "a number of seconds from 0.1 to 3600"
        ),
    )
    embed_threads: int = _whole(0, 0, 64, "Cores that `transformer` uses at once; 0 is all, four at most.", "cores")
    max_pages: int = _whole(50, 1, 500, "Pages that `fetch_url` stores at most unless the request says.", "pages")
    max_depth: int = _whole(3, 0, 10, "Links from the start that `fetch_url` follows unless the request says.", "links")
    chunk_size: int = _whole(1600, 200, 20000, "Longest passage that is indexed as one.", "characters")
    chunk_overlap: int = _whole(
        0, 0, 10000, "Shared by two passages where prose must be cut in mid-section.", "characters"
    )
    respect_robots: bool = _setting(
        True, Rule("Obey robots.txt. Turn it off only for sites that are yours.", _boolean, "true or false")
    )
    prune_missing: bool = _setting(
        True,
        Rule(
            "Delete a stored page once its site says twice that it is gone, or a complete crawl finds no link to it.",
            _boolean,
            "true or false",
        ),
    )
    crawl_delay: float = _setting(
        1.0,
        Rule(
            "Least seconds between two requests to one host; a site that asks for more wins.",
            _number(0, 3600),
            "a number of seconds from 0 to 3600",
        ),
    )
    concurrency: int = _whole(8, 1, 64, "Requests under way at once, over all hosts.", "requests")
    request_timeout: float = _setting(
        30.0,
        Rule(
            "Longest time for one request, from name look-up to last byte.",
            _number(0.1, 600),
            "a number of seconds from 0.1 to 600",
        ),
    )
    max_body_mb: int = _whole(20, 1, 500, "Largest page, after decompression.", "MiB")
    extract_timeout: int = _whole(60, 1, 3600, "Longest time that reading one page or file may take.", "seconds")
    extract_memory_mb: int = _whole(1024, 256, 65536, "Memory that reading one page or file may take.", "MiB")
    allow_private: tuple[str, ...] = _setting(
        (),
        Rule(
            "Private hosts, host:port pairs or CIDR blocks that every crawl may reach, separated by commas.",
            _names,
            "host, host:port or CIDR block, separated by commas",
        ),
    )
    submit_hosts: tuple[str, ...] = _setting(
        (),
        Rule(
            "Hosts that an agent may submit through MCP, separated by commas; empty is any public host.",
            _names,
            "host names, separated by commas",
        ),
    )
    render: str = _setting(
        "never",
        Rule(
            "Show pages in a browser: `never`, `auto` (those whose HTML holds no content) or `always`.",
            _choice("never", "auto", "always"),
            "never, auto or always",
        ),
    )
    browser_path: str = _setting(
        "", Rule("The Chromium that renders; empty looks for one on the path.", _text, "the path of a program")
    )
    contact_url: str = _setting(
        "",
        Rule("A page about this crawler or its operator, sent in the User-Agent.", _text, "one line of text"),
    )
    host: str = _setting("127.0.0.1", Rule("Address that `serve` listens on.", _text, "a host name or address"))
    port: int = _whole(9111, 0, 65535, "Port that `serve` listens on; 0 takes a free one.")
    memory_limit_mb: int = _whole(128, 64, 65536, "Memory that the database engine may use.", "MiB")
    log_level: str = _setting(
        "INFO",
        Rule(
            "Least severity that is logged, to standard error.",
            _choice("DEBUG", "INFO", "WARNING", "ERROR"),
            "DEBUG, INFO, WARNING or ERROR",
        ),
    )

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        if self.chunk_overlap >= self.chunk_size:
            raise SettingError(
                f"chunk_overlap is {self.chunk_overlap}, not smaller than chunk_size, which is {self.chunk_size}",
                f"Lower {PREFIX}CHUNK_OVERLAP or raise {PREFIX}CHUNK_SIZE.",
            )
        if self.embedder == "static" and self.embed_dim not in (0, 64, 128, 256):
            raise SettingError(
                f"embed_dim is {self.embed_dim}, but the static embedder has vectors of 64, 128 or 256",
                f"Set {PREFIX}EMBED_DIM to one of them, or {PREFIX}EMBEDDER=hashing.",
            )
        if not self.embed_model and (
            self.embedder == "transformer" or (self.embedder == "openai" and not is_openai(self.embed_url))
        ):
            raise SettingError(f"embedder is {self.embedder}, but no model is named", f"Set {PREFIX}EMBED_MODEL.")


def is_openai(url: str) -> bool:
    """True for the address of OpenAI itself, which alone is sent `OPENAI_API_KEY`."""
    return url.startswith("https://api.openai.com/")


def rules() -> dict[str, Rule]:
    """Field name to rule, in the order of the class."""
    return {item.name: item.metadata["rule"] for item in fields(Settings)}


def environment_name(name: str) -> str:
    """`max_pages` to `WEBDOCS_MAX_PAGES`."""
    return PREFIX + name.upper()


def flag_name(name: str) -> str:
    """`max_pages` to `--max-pages`."""
    return "--" + name.replace("_", "-")


def parse_setting(name: str, text: str, origin: str) -> object:
    """One value from text.

    Args:
        name: Field of `Settings`.
        text: What was given.
        origin: Where it was given, for the error: an environment name, a flag, a file's key.

    Raises:
        SettingError: with key, value and accepted form.
    """
    rule = rules()[name]
    try:
        return rule.parse(text)
    except ValueError:
        shown = "(hidden)" if rule.secret else repr(text)
        raise SettingError(f"{origin} is {shown}", f"It must be {rule.accepts}.") from None


def load_settings(
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """Settings of this process: defaults < file < environment < flags.

    Args:
        environment: Variables to read; `os.environ` unless given.
        flags: Field name to text, from the command line.
        file: A TOML file; `WEBDOCS_CONFIG` or the user's `config.toml` unless given.

    Raises:
        SettingError: a value out of range, an unknown key in the file, a file that cannot be read.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, object] = _read_file(_config_file(environment, file))
    for name in rules():
        text = environment.get(environment_name(name))
        if text is not None and text != "":
            values[name] = parse_setting(name, text, environment_name(name))
    for name, text in (flags or {}).items():
        values[name] = parse_setting(name, text, flag_name(name))
    url = str(values.get("embed_url", Settings.__dataclass_fields__["embed_url"].default))
    if "embed_api_key" not in values and environment.get("OPENAI_API_KEY") and is_openai(url):
        values["embed_api_key"] = parse_setting("embed_api_key", environment["OPENAI_API_KEY"], "OPENAI_API_KEY")
    return Settings(**cast("dict[str, Any]", values))


def _config_file(environment: Mapping[str, str], file: Path | None) -> Path | None:
    if file is not None:
        return file
    named = environment.get(PREFIX + "CONFIG")
    if named:
        return Path(named).expanduser()
    usual = Path(platformdirs.user_config_dir("webdocs", appauthor=False)) / "config.toml"
    return usual if usual.is_file() else None


def _read_file(path: Path | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"The settings file {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"The settings file {path} is not TOML: {error}") from error
    unknown = sorted(set(table) - set(rules()))
    if unknown:
        raise SettingError(f"{path} has the unknown key {unknown[0]!r}", f"Known keys: {', '.join(rules())}.")
    secret = sorted(name for name in table if rules()[name].secret)
    if secret:
        raise SettingError(
            f"{path} holds {secret[0]}", f"Set {environment_name(secret[0])} in the environment instead."
        )
    return {name: parse_setting(name, _as_text(value), f"{name} in {path}") for name, value in table.items()}


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return str(value)


def _shown_default(name: str) -> str:
    if name == "db_path":
        return "webdocs.duckdb in the user's data folder"
    value = getattr(Settings(db_path=":memory:"), name)
    return _as_text(list(value) if isinstance(value, tuple) else value)


def document_settings() -> str:
    """The Markdown table of `docs/settings.md`."""
    lines = [
        "| variable | flag of `serve` | default | accepts | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, rule in rules().items():
        default = _shown_default(name) or "(empty)"
        flag = "(none)" if rule.secret else f"`{flag_name(name)}`"
        lines.append(f"| `{environment_name(name)}` | {flag} | {default} | {rule.accepts} | {rule.help} |")
    return "\n".join(lines) + "\n"


def example_environment() -> str:
    """The text of `.env.example`: every variable, commented out, with its help and default."""
    parts = ["# Every setting of webdocs with its default. A line without its # takes effect.\n"]
    for name, rule in rules().items():
        default = "" if name == "db_path" else _shown_default(name)
        parts.append(f"# {rule.help} Accepts {rule.accepts}.\n# {environment_name(name)}={default}\n")
    return "\n".join(parts)
