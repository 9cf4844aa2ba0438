"""What is a tool call, and how does it travel? Records that go to the owner and back as JSON, whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from webdocs.errors import OwnerError


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What the operator lets the agents of one server process do.

    Attributes:
        read_only: Without contract B5's tools.
        submit_hosts: Hosts whose pages may be submitted; empty is any.
    """

    read_only: bool = False
    submit_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call with the policy of the process that took it, which holds wherever the call runs."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    policy: ToolPolicy = ToolPolicy()


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The tool ran. `structured` follows its output schema, None for an error the agent can mend."""

    text: str
    structured: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolRejection:
    """There is no such tool, or the arguments do not fit: an error of the protocol."""

    message: str


ToolOutcome = ToolAnswer | ToolRejection


def dump_call(call: ToolCall) -> bytes:
    """The call as JSON."""
    return json.dumps(asdict(call)).encode()


def load_call(body: bytes) -> ToolCall:
    """The call of `dump_call`."""
    fields = json.loads(body)
    policy = fields["policy"]
    return ToolCall(
        fields["name"],
        fields["arguments"],
        ToolPolicy(bool(policy["read_only"]), tuple(policy["submit_hosts"])),
    )


def dump_outcome(outcome: ToolOutcome) -> bytes:
    """The outcome as JSON, with the name of its record."""
    kind = "answer" if isinstance(outcome, ToolAnswer) else "rejection"
    return json.dumps({kind: asdict(outcome)}).encode()


def load_outcome(body: bytes) -> ToolOutcome:
    """The outcome of `dump_outcome`.

    Raises:
        OwnerError: the owner, another release perhaps, answered something else.
    """
    try:
        fields = json.loads(body)
        return ToolAnswer(**fields["answer"]) if "answer" in fields else ToolRejection(**fields["rejection"])
    except (ValueError, TypeError, KeyError) as exc:
        raise OwnerError(
            "The webdocs process that holds the database answered something unknown",
            "End it if it is another release, then call again.",
        ) from exc
