"""How do rendered blocks become one block: bold, quoted, or as the items of a list?"""

from __future__ import annotations

from webdocs.extract.html.dom import Element
from webdocs.model import Block


def bold(markdown: str) -> str:
    if not markdown or markdown.startswith("**") or "\n" in markdown:
        return markdown
    return f"**{markdown}**"


def quoted(parts: list[str]) -> str:
    body = "\n\n".join(part for part in parts if part)
    return "\n".join(f"> {line}" if line else ">" for line in body.split("\n"))


def list_markdown(items: list[list[Block]], element: Element) -> str:
    number = _start_of(element) if element.tag == "ol" else 0
    is_tight = all(_is_tight(blocks) for blocks in items)
    lines: list[str] = []
    for offset, blocks in enumerate(items):
        marker = f"{number + offset}. " if element.tag == "ol" else "- "
        body = ("\n" if _is_tight(blocks) else "\n\n").join(block.markdown for block in blocks)
        lines.append(marker + _indented(body, len(marker)))
    return ("\n" if is_tight else "\n\n").join(lines)


def _is_tight(blocks: list[Block]) -> bool:
    """One paragraph, perhaps with lists under it."""
    kinds = [block.kind for block in blocks]
    return kinds.count("paragraph") <= 1 and all(kind == "list" for kind in kinds[1:])


def _start_of(element: Element) -> int:
    start = element.attr("start")
    return int(start[:9]) if start.isdecimal() else 1


def _indented(text: str, width: int) -> str:
    return text.replace("\n", "\n" + " " * width).replace("\n" + " " * width + "\n", "\n\n")
