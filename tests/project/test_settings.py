"""Settings (contract C): is each value checked, and does the nearest word win?"""

from __future__ import annotations

from pathlib import Path

import pytest

from webdocs.errors import SettingError
from webdocs.settings import Settings, document_settings, flag_name, load_settings, rules

EMPTY = Path("/dev/null")

BAD_VALUES = [
    ("WEBDOCS_EMBEDDER", "openai-ada", "static, hashing, transformer or openai"),
    ("WEBDOCS_EMBED_DIM", "31", "0 or a whole number from 32 to 4096"),
    ("WEBDOCS_EMBED_DIM", "-1", "0 or a whole number from 32 to 4096"),
    ("WEBDOCS_EMBED_URL", "ftp://models.test/v1", "an http or https URL without user and password"),
    ("WEBDOCS_EMBED_URL", "https://user:word@models.test/v1", "an http or https URL without user and password"),
    ("WEBDOCS_MAX_PAGES", "501", "a whole number from 1 to 500, in pages"),
    ("WEBDOCS_MAX_PAGES", "many", "a whole number from 1 to 500, in pages"),
    ("WEBDOCS_MAX_PAGES", "1.5", "a whole number from 1 to 500, in pages"),
    ("WEBDOCS_MAX_DEPTH", "11", "a whole number from 0 to 10, in links"),
    ("WEBDOCS_MAX_DEPTH", "-1", "a whole number from 0 to 10, in links"),
    ("WEBDOCS_CHUNK_SIZE", "199", "a whole number from 200 to 20000, in characters"),
    ("WEBDOCS_CHUNK_OVERLAP", "-1", "a whole number from 0 to 10000, in characters"),
    ("WEBDOCS_RESPECT_ROBOTS", "maybe", "true or false"),
    ("WEBDOCS_CRAWL_DELAY", "nan", "a number of seconds from 0 to 3600"),
    ("WEBDOCS_CRAWL_DELAY", "-0.1", "a number of seconds from 0 to 3600"),
    ("WEBDOCS_CRAWL_DELAY", "inf", "a number of seconds from 0 to 3600"),
    ("WEBDOCS_CONCURRENCY", "0", "a whole number from 1 to 64, in requests"),
    ("WEBDOCS_REQUEST_TIMEOUT", "0", "a number of seconds from 0.1 to 600"),
    ("WEBDOCS_MAX_BODY_MB", "0", "a whole number from 1 to 500, in MiB"),
    ("WEBDOCS_CONTACT_URL", "a\r\nX-Injected: b", "one line of text"),
    ("WEBDOCS_HOST", "127.0.0.1\n", "a host name or address"),
    ("WEBDOCS_PORT", "65536", "a whole number from 0 to 65535"),
    ("WEBDOCS_MEMORY_LIMIT_MB", "1", "a whole number from 64 to 65536, in MiB"),
    ("WEBDOCS_LOG_LEVEL", "LOUD", "DEBUG, INFO, WARNING or ERROR"),
    ("WEBDOCS_DB_PATH", "   ", "a file path or :memory:"),
]


@pytest.mark.parametrize(
    ("key", "value", "accepted"), BAD_VALUES, ids=[f"C-{key}-{value!r}" for key, value, _ in BAD_VALUES]
)
def test_a_bad_value_names_key_value_and_accepted_form(key: str, value: str, accepted: str) -> None:
    with pytest.raises(SettingError) as caught:
        load_settings({key: value}, file=EMPTY)
    message = str(caught.value)
    assert key in message
    assert repr(value) in message
    assert message.endswith(f"It must be {accepted}.")


GOOD_VALUES = [
    ("WEBDOCS_RESPECT_ROBOTS", "Off", "respect_robots", False),
    ("WEBDOCS_RESPECT_ROBOTS", "YES", "respect_robots", True),
    ("WEBDOCS_CRAWL_DELAY", "0.25", "crawl_delay", 0.25),
    ("WEBDOCS_MAX_DEPTH", "0", "max_depth", 0),
    ("WEBDOCS_PORT", "0", "port", 0),
    ("WEBDOCS_DB_PATH", ":memory:", "db_path", ":memory:"),
    ("WEBDOCS_ALLOW_PRIVATE", "localhost:8000, 10.0.0.0/8,", "allow_private", ("localhost:8000", "10.0.0.0/8")),
    ("WEBDOCS_SUBMIT_HOSTS", "", "submit_hosts", ()),
    ("WEBDOCS_MAX_PAGES", "", "max_pages", 50),
]


@pytest.mark.parametrize(
    ("key", "value", "name", "expected"), GOOD_VALUES, ids=[f"C-{row[0]}-{row[1]!r}" for row in GOOD_VALUES]
)
def test_a_good_value_is_read(key: str, value: str, name: str, expected: object) -> None:
    assert getattr(load_settings({key: value}, file=EMPTY), name) == expected


def test_the_defaults_of_the_contract_hold() -> None:
    found = load_settings({}, file=EMPTY)
    shown = (found.max_pages, found.max_depth, found.chunk_size, found.chunk_overlap, found.crawl_delay)
    assert shown == (50, 3, 1600, 0, 1.0)
    assert (found.respect_robots, found.embedder, found.port) == (True, "static", 9111)


@pytest.mark.parametrize(
    ("in_file", "environment", "flags", "expected"),
    [
        pytest.param("", {}, {}, 50, id="C-default"),
        pytest.param("max_pages = 10", {}, {}, 10, id="C-file-over-default"),
        pytest.param("max_pages = 10", {"WEBDOCS_MAX_PAGES": "20"}, {}, 20, id="C-environment-over-file"),
        pytest.param("max_pages = 10", {"WEBDOCS_MAX_PAGES": "20"}, {"max_pages": "30"}, 30, id="C-flag-over-all"),
    ],
)
def test_the_nearest_word_wins(
    tmp_path: Path, in_file: str, environment: dict[str, str], flags: dict[str, str], expected: int
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(in_file, encoding="utf-8")
    assert load_settings(environment, flags, file).max_pages == expected


def test_the_file_is_found_through_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('respect_robots = false\nallow_private = ["localhost", "10.0.0.0/8"]\n', encoding="utf-8")
    found = load_settings({"WEBDOCS_CONFIG": str(file)})
    assert (found.respect_robots, found.allow_private) == (False, ("localhost", "10.0.0.0/8"))


@pytest.mark.parametrize(
    ("text", "in_message"),
    [
        pytest.param("max_pagse = 10", "unknown key 'max_pagse'", id="C-misspelt-key"),
        pytest.param("max_pages = 0", "max_pages in", id="C-bad-value-names-the-file"),
        pytest.param("max_pages =", "is not TOML", id="C-not-toml"),
        pytest.param('embed_api_key = "sk-1"', "holds embed_api_key", id="C-a-key-in-a-file"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, in_message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingError, match=r"config\.toml") as caught:
        load_settings({}, file=file)
    assert in_message in str(caught.value)


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be read"):
        load_settings({"WEBDOCS_CONFIG": str(tmp_path / "none.toml")})


def test_a_bad_flag_is_named_as_it_was_typed() -> None:
    with pytest.raises(SettingError, match="--max-pages is '0'"):
        load_settings({}, {"max_pages": "0"}, EMPTY)


@pytest.mark.parametrize(
    ("environment", "in_message"),
    [
        pytest.param(
            {"WEBDOCS_CHUNK_SIZE": "500", "WEBDOCS_CHUNK_OVERLAP": "500"},
            "chunk_overlap is 500",
            id="C-overlap-not-smaller-than-size",
        ),
        pytest.param({"WEBDOCS_EMBEDDER": "transformer"}, "no model is named", id="C-transformer-without-model"),
        pytest.param(
            {"WEBDOCS_EMBEDDER": "openai", "WEBDOCS_EMBED_URL": "http://127.0.0.1:11434/v1"},
            "no model is named",
            id="C-endpoint-without-model",
        ),
        pytest.param({"WEBDOCS_EMBED_DIM": "100"}, "vectors of 64, 128 or 256", id="C-dim-the-table-lacks"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(environment: dict[str, str], in_message: str) -> None:
    with pytest.raises(SettingError) as caught:
        load_settings(environment, file=EMPTY)
    assert in_message in str(caught.value)


def test_hashing_takes_any_length() -> None:
    found = load_settings({"WEBDOCS_EMBED_DIM": "100", "WEBDOCS_EMBEDDER": "hashing"}, file=EMPTY)
    assert found.embed_dim == 100


def test_a_database_path_is_absolute_whatever_folder_a_command_starts_in() -> None:
    assert Path(load_settings({"WEBDOCS_DB_PATH": "here.duckdb"}, file=EMPTY).db_path).is_absolute()
    assert Path(load_settings({}, file=EMPTY).db_path).is_absolute()


def test_every_setting_has_a_rule_and_a_flag() -> None:
    assert list(rules()) == list(Settings.__dataclass_fields__)
    assert all(rule.help.endswith(".") and rule.accepts for rule in rules().values())
    assert flag_name("max_body_mb") == "--max-body-mb"


KEYS = [
    pytest.param({"OPENAI_API_KEY": "sk-1"}, "sk-1", id="C-openai-key-goes-to-openai"),
    pytest.param(
        {"OPENAI_API_KEY": "sk-1", "WEBDOCS_EMBED_URL": "http://127.0.0.1:11434/v1"},
        "",
        id="C-openai-key-goes-nowhere-else",
    ),
    pytest.param({"OPENAI_API_KEY": "sk-1", "WEBDOCS_EMBED_API_KEY": "sk-2"}, "sk-2", id="C-own-key-wins"),
    pytest.param(
        {"WEBDOCS_EMBED_API_KEY": "sk-2", "WEBDOCS_EMBED_URL": "https://models.test/v1"},
        "sk-2",
        id="C-own-key-goes-there",
    ),
    pytest.param(
        {"OPENAI_API_KEY": "sk-1", "WEBDOCS_EMBED_URL": "https://api.openai.com.evil.test/v1"},
        "",
        id="C-look-alike-host",
    ),
]


@pytest.mark.parametrize(("environment", "key"), KEYS)
def test_a_key_goes_to_the_endpoint_that_it_is_for(environment: dict[str, str], key: str) -> None:
    found = load_settings(environment, file=EMPTY)
    assert found.embed_api_key == key
    assert "sk-" not in repr(found)


def test_a_key_has_no_flag() -> None:
    table = document_settings()
    assert "WEBDOCS_EMBED_API_KEY" in table
    assert "--embed-api-key" not in table
