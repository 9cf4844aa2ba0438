"""How is input that does not fit its model told? Each fault with the name of its field and the reason."""

from __future__ import annotations

from typing import Any

from fastapi.exceptions import RequestValidationError

MAX_FAULTS = 20
"""Our choice: a request with more has one fault at its root."""

_NO_OBJECT = "It must be a JSON object, sent with Content-Type: application/json"


def explain_faults(error: RequestValidationError) -> tuple[list[dict[str, str]], str]:
    """The faults as members of a problem, and all of them in one sentence."""
    faults = [_fault_of(fault) for fault in error.errors()[:MAX_FAULTS]]
    detail = "; ".join(f"{fault['name']}: {fault['reason']}" for fault in faults)
    return faults, f"{detail}."


def _fault_of(fault: dict[str, Any]) -> dict[str, str]:
    if fault["loc"] == ("body",) or fault["type"] == "json_invalid":
        return {"name": "body", "reason": _NO_OBJECT}
    return {"name": ".".join(str(part) for part in fault["loc"][1:]), "reason": fault["msg"]}
