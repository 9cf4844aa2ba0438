"""Does a person who looks at the page see this element, and which characters does nobody see?

What is hidden from people can still carry instructions to a model that reads the index, so it stays out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webdocs.extract.html.names import MAX_REMEMBERED_CHARS

STYLES = 1024
"""Distinct inline styles remembered. Our choice: highlighters and tables repeat a few dozen on a page."""

INVISIBLE = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u061c\u180b-\u180f\u115f\u1160\u3164\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ufdd0-\ufdef\x00]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Characters that nobody sees: zero-width, bidi controls, soft hyphens, fillers, Unicode tags, and noncharacters, which
the emitter uses as marks. Joiners stay between letters that are not ASCII: Persian, Indic scripts and emoji need them;
of variation selectors one after a character stays, since a run of them spells bytes."""

KEPT_HIDDEN_ROLES = frozenset(("tabpanel",))
"""Panels of tabs that are not chosen are hidden until somebody clicks; they are content (fault G10)."""

_ZERO = re.compile(r"[-+]?0*\.?0*(?:px|pt|em|rem|%|vh|vw)?")
_TINY = re.compile(r"[-+]?(?:0*\.?0*|0?\.\d+|1)(?:px|pt|em|rem|%)?")
_FAR_AWAY = re.compile(r"-\d{4,}(?:\.\d+)?(?:px|pt)|-\d{3,}(?:\.\d+)?(?:em|rem|vw|vh)")
_CLIPPED = re.compile(
    r"rect\(\s*[01](?:px)?(?:[\s,]+[01](?:px)?){3}\s*\)|inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%.*\)|circle\(\s*0.*\)"
)
_SCALED_AWAY = re.compile(r"scale[xy]?\(\s*0(?:\.0+)?\s*(?:,\s*0(?:\.0+)?\s*)?\)")
_CLEAR = re.compile(r"transparent|(?:rgba?|hsla?)\([^)]*[,/]\s*0(?:\.0+)?%?\s*\)|#[0-9a-f]{3}0|#[0-9a-f]{6}00")
_COLOUR = re.compile(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\)|[a-z]+")
_WHITES = frozenset(("white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "hsl(0,0%,100%)"))
_FIXED = {
    "display": ("none",),
    "visibility": ("hidden", "collapse"),
    "content-visibility": ("hidden",),
}
_OFFSETS = ("left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top")


def strip_invisible(text: str) -> str:
    """The text without the characters that nobody sees."""
    return text if text.isascii() and "\x00" not in text else INVISIBLE.sub("", text)


def hides(style: str) -> bool:
    """True if an inline style takes an element, text and pictures alike, out of sight."""
    return _remembered_hides(style) if len(style) <= MAX_REMEMBERED_CHARS else _hides(style)


def _hides(style: str) -> bool:
    rules = _declarations(style)
    return (
        any(rules.get(name) in values for name, values in _FIXED.items())
        or any(_ZERO.fullmatch(rules.get(name, "1")) for name in ("opacity", "font-size"))
        or any(_FAR_AWAY.fullmatch(rules.get(name, "")) for name in _OFFSETS)
        or any(_CLIPPED.fullmatch(rules.get(name, "")) for name in ("clip", "clip-path"))
        or _SCALED_AWAY.search(rules.get("transform", "")) is not None
        or _is_boxed_away(rules)
    )


_remembered_hides = lru_cache(maxsize=STYLES)(_hides)


def is_colourless(style: str) -> bool:
    """True if text has no colour, or that of its own ground. A picture is seen all the same (Next.js)."""
    return "color" in style.lower() and _is_colourless(_declarations(style))


def is_white_text(style: str) -> bool:
    """True for white text that names no ground of its own: nothing is seen of it on a white page."""
    rules = _declarations(style)
    return rules.get("color", "").replace(" ", "") in _WHITES and not has_ground(style)


def has_ground(style: str) -> bool:
    """True if the style sets a background or an image behind the text."""
    return any(name.startswith("background") for name in _declarations(style))


def _declarations(style: str) -> dict[str, str]:
    rules: dict[str, str] = {}
    for declaration in style.lower().split(";"):
        name, _, value = declaration.partition(":")
        rules[name.strip()] = value.replace("!important", "").strip()
    return rules


def _is_boxed_away(rules: dict[str, str]) -> bool:
    """A box without room whose overflow is cut off."""
    if not {rules.get("overflow"), rules.get("overflow-x"), rules.get("overflow-y")} & {"hidden", "clip"}:
        return False
    return any(_TINY.fullmatch(rules.get(name, "9")) for name in ("width", "height", "max-width", "max-height"))


def _is_colourless(rules: dict[str, str]) -> bool:
    colour = rules.get("color", "")
    if not colour:
        return False
    if _CLEAR.fullmatch(colour):
        return "background-clip" not in rules and "-webkit-background-clip" not in rules  # the ground shows as text
    ground = _COLOUR.match(rules.get("background-color") or rules.get("background", ""))
    return ground is not None and _same(colour) == _same(ground[0])


def _same(colour: str) -> str:
    """One spelling of a colour, for those that are spelt alike but for white, black and short hex."""
    colour = colour.replace(" ", "")
    if colour in _WHITES:
        return "#ffffff"
    if colour in ("black", "#000", "rgb(0,0,0)"):
        return "#000000"
    return "#" + "".join(2 * digit for digit in colour[1:]) if re.fullmatch(r"#[0-9a-f]{3}", colour) else colour
