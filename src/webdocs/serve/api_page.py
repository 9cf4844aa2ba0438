"""How does a person read the REST interface? One page made of its OpenAPI description, complete without network.

FastAPI's own page loads its scripts from a CDN; this one holds neither script nor link to another host.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

Node = Mapping[str, Any]
"""An object of the OpenAPI description."""

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%;margin:.5rem 0}"
    "td,th{border:1px solid #8886;padding:.25rem .5rem;text-align:left;vertical-align:top}"
    "h2{margin-top:2.5rem}code{font-family:ui-monospace,monospace}"
)
_HEAD = "<tr><th>name</th><th>in</th><th>type</th><th>default</th><th>example</th><th>meaning</th></tr>"
_RANGES = (
    ("minimum", "from {}"),
    ("maximum", "to {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("maxItems", "at most {} items"),
)


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One row: a parameter of the path or query, or a field of the body. `schema` is its JSON schema."""

    name: str
    place: str
    schema: Node
    is_required: bool


def api_page(description: Node) -> str:
    """The page at `/docs`.

    Args:
        description: The OpenAPI description, as FastAPI makes it.
    """
    info = description["info"]
    title = f"{info['title']} {info['version']}"
    parts = "".join(_endpoint(description, *operation) for operation in _operations(description))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}: REST</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}: REST</h1><p>{_prose(info['description'])}</p>"
        f'<p>The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>{parts}</body></html>'
    )


def _operations(description: Node) -> Iterator[tuple[str, str, Node]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _endpoint(description: Node, method: str, path: str, operation: Node) -> str:
    rows = "".join(_row(parameter) for parameter in _parameters(description, operation))
    table = f"<table>{_HEAD}{rows}</table>" if rows else "<p>No parameters.</p>"
    return (
        f"<h2><code>{escape(method)} {escape(path)}</code></h2>"
        f"<p><b>{escape(operation['summary'])}.</b> {_prose(operation.get('description', ''))}</p>{table}"
    )


def _parameters(description: Node, operation: Node) -> Iterator[_Parameter]:
    for given in operation.get("parameters", ()):
        schema = {**given["schema"], **{key: given[key] for key in ("description",) if key in given}}
        yield _Parameter(given["name"], given["in"], schema, given.get("required", False))
    for media in operation.get("requestBody", {}).get("content", {}).values():
        body = _resolve(description, media["schema"])
        for name, schema in body.get("properties", {}).items():
            yield _Parameter(name, "body", schema, name in body.get("required", ()))


def _resolve(description: Node, schema: Node) -> Node:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return description["components"]["schemas"][name] if name else schema


def _row(parameter: _Parameter) -> str:
    schema = parameter.schema
    default = "required" if parameter.is_required else _value(schema.get("default"))
    example = " or ".join(_value(example) for example in schema.get("examples", ()))
    cells = (f"<code>{escape(parameter.name)}</code>", parameter.place, escape(_type_of(schema)), default, example)
    meaning = _prose(schema.get("description", ""))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in (*cells, meaning))}</tr>"


def _type_of(schema: Node) -> str:
    """The type in words, with its range: `integer, from 1, to 25`."""
    if "anyOf" in schema:
        return " or ".join(_type_of(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    if kind == "array":
        kind = f"list of {_type_of(schema['items'])}"
    return ", ".join([kind, *(words.format(_bound(schema[key])) for key, words in _RANGES if key in schema)])


def _bound(value: float) -> float:
    """A bound as it was declared: the OpenAPI models hold the 500 of an optional integer as 500.0."""
    return int(value) if value == int(value) else value


def _value(value: object) -> str:
    return f"<code>{escape(json.dumps(value, ensure_ascii=False))}</code>" if value is not None else "none"


def _prose(text: str) -> str:
    """Escaped text in which back-quoted words are code."""
    pieces = escape(" ".join(text.split())).split("`")
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))
