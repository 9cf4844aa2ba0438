"""What does a tool do? `call_tool` checks the arguments, asks the service and shapes the answer.

It runs in the process that holds the database; the others forward the call whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urldefrag

from pydantic import ValidationError

from webdocs.errors import UnknownNameError, WebdocsError
from webdocs.model import Job, StoredPage
from webdocs.serve import tool_arguments as given
from webdocs.serve import views
from webdocs.serve.answer_text import (
    answer_text,
    fit_answer,
    job_text,
    jobs_text,
    page_text,
    rows_text,
    sites_text,
)
from webdocs.serve.paging import CHARS_PER_TOKEN, PageSlice, cut_page, find_section, headings_of
from webdocs.serve.service import Service
from webdocs.serve.spider import check_submit_host, spider_options
from webdocs.serve.tool_messages import ToolAnswer, ToolCall, ToolOutcome, ToolPolicy, ToolRejection
from webdocs.serve.tools import find_tool, offered_tools
from webdocs.settings import Settings

logger = logging.getLogger(__name__)

_FRAME_TOKENS = 20
"""Room for the note above the hits. What the line below them takes is known once they are chosen (`fit_answer`)."""

_MIN_PIECE_CHARS = 100
"""Our choice: a piece of a page is no shorter, so that reading on gets on whatever the budget."""


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where a tool works."""

    service: Service
    settings: Settings
    policy: ToolPolicy


def call_tool(service: Service, settings: Settings, call: ToolCall) -> ToolOutcome:
    """Run one tool call.

    Args:
        service: The use cases.
        settings: Of the process that holds the database: defaults of a crawl.
        call: Tool, arguments and the policy of the process that took the call.

    Returns:
        The answer, as an error where the agent can mend it, or the rejection of a call that makes no sense.
    """
    tool = find_tool(call.name, read_only=call.policy.read_only)
    if tool is None:
        names = ", ".join(spec.name for spec in offered_tools(read_only=call.policy.read_only))
        return ToolRejection(f"Unknown tool {call.name[:100]!r}. Tools: {names}.")
    try:
        arguments = tool.takes.model_validate(dict(call.arguments))
    except ValidationError as error:
        return ToolRejection(f"Bad arguments for {tool.name}: {_faults_of(error)}.")
    try:
        return _TOOL_FUNCTIONS[tool.name](_Desk(service, settings, call.policy), arguments)
    except WebdocsError as error:
        return ToolAnswer(_error_text(error), is_error=True)
    except Exception:
        logger.exception("tool_failed name=%s", tool.name)
        return ToolAnswer(f"{tool.name} failed for a reason that is in webdocs' log.", is_error=True)


def _faults_of(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors()[:5]
    )


def _error_text(error: WebdocsError) -> str:
    if isinstance(error, UnknownNameError) and error.known and not any(n in str(error) for n in error.known):
        return f"{str(error).rstrip('.')}. Known: {', '.join(error.known)}."
    return str(error)


def _search_docs(desk: _Desk, asked: given.SearchDocsArguments) -> ToolAnswer:
    found = desk.service.search(
        asked.query,
        top_k=asked.top_k,
        site=asked.site,
        version=asked.version,
        max_tokens=asked.max_tokens - _FRAME_TOKENS,
    )
    answer = fit_answer(found, asked.max_tokens, desk.service.count_tokens)
    return _answer(answer_text(answer), views.SearchResult.of(answer))


def _list_doc_pages(desk: _Desk, asked: given.ListDocPagesArguments) -> ToolAnswer:
    rows = desk.service.list_pages(site=asked.site, offset=asked.offset, limit=asked.limit + 1)
    next_offset = asked.offset + asked.limit if len(rows) > asked.limit else None
    shown = rows[: asked.limit]
    view = views.PageListResult(
        pages=tuple(views.PageRowView.of(row) for row in shown), offset=asked.offset, next_offset=next_offset
    )
    return _answer(rows_text(shown, asked.site, asked.offset, next_offset), view)


def _get_doc_page(desk: _Desk, asked: given.GetDocPageArguments) -> ToolAnswer:
    url, fragment = urldefrag(asked.url)
    page = _page(desk.service, asked, url)
    section = asked.section or unquote(fragment)
    markdown = page.markdown
    if section:
        markdown = _section_text(page, section, must_exist=bool(asked.section))
        section = section if markdown != page.markdown else ""
    room = int(asked.max_tokens * CHARS_PER_TOKEN)
    while True:
        piece = cut_page(markdown, asked.offset, room)
        text = page_text(page, section, piece)
        tokens = desk.service.count_tokens(text)
        if tokens <= asked.max_tokens or room == _MIN_PIECE_CHARS:
            return _answer(text, _slice_view(page, section, piece))
        # Link lists and code are denser than prose: shrink by what it was over, and a little more.
        room = max(int(min(room, len(piece.text)) * asked.max_tokens / tokens * 0.9), _MIN_PIECE_CHARS)


def _page(service: Service, asked: given.GetDocPageArguments, url: str) -> StoredPage:
    """The page under its whole URL first: in a hash-routed site the fragment names the page."""
    if asked.page_id or url == asked.url:
        return service.page(asked.page_id or asked.url)
    try:
        return service.page(asked.url)
    except UnknownNameError:
        return service.page(url)


def _section_text(page: StoredPage, section: str, *, must_exist: bool) -> str:
    place = find_section(page.markdown, section)
    if place is not None:
        return page.markdown[place[0] : place[1]]
    if must_exist:
        known = tuple(heading.text for heading in headings_of(page.markdown)[:50])
        raise UnknownNameError(f"{page.url} has no section {section!r}", known=known)
    return page.markdown


def _slice_view(page: StoredPage, section: str, piece: PageSlice) -> views.PageSliceResult:
    return views.PageSliceResult(
        page_id=page.page_id,
        url=page.url,
        title=page.title,
        site=page.site,
        version=page.version,
        fetched_at=page.fetched_at,
        modified_at=page.modified_at,
        section=section,
        text=piece.text,
        offset=piece.offset,
        next_offset=piece.next_offset,
        total_chars=piece.total_chars,
    )


def _list_sites(desk: _Desk, asked: given.ListSitesArguments) -> ToolAnswer:
    sites = desk.service.sites()
    return _answer(sites_text(sites), views.SiteListResult(sites=tuple(views.SiteView.of(row) for row in sites)))


def _submit_document(desk: _Desk, asked: given.SubmitDocumentArguments) -> ToolAnswer:
    check_submit_host(asked.url, desk.policy.submit_hosts)
    options, notes = spider_options(asked, desk.settings, desk.policy.submit_hosts)
    job = desk.service.submit(asked.url, options)
    lines = [f"Started job {job.job_id} for {job.url}. Follow it: job_progress(job_id={job.job_id!r})", *notes]
    return _answer("\n".join(lines), views.SubmissionResult(job=views.JobView.of(job), notes=notes))


def _job_progress(desk: _Desk, asked: given.JobProgressArguments) -> ToolAnswer:
    jobs = (desk.service.job(asked.job_id),) if asked.job_id else tuple(desk.service.jobs())
    return _answer(jobs_text(jobs), _jobs_view(jobs))


def _cancel_job(desk: _Desk, asked: given.CancelJobArguments) -> ToolAnswer:
    job = desk.service.cancel(asked.job_id)
    return _answer(job_text(job), _jobs_view((job,)))


def _jobs_view(jobs: tuple[Job, ...]) -> views.JobListResult:
    return views.JobListResult(jobs=tuple(views.JobView.of(job) for job in jobs))


def _answer(text: str, view: views.View) -> ToolAnswer:
    return ToolAnswer(text, view.model_dump(mode="json"))


_TOOL_FUNCTIONS: dict[str, Callable[[_Desk, Any], ToolAnswer]] = {
    "search_docs": _search_docs,
    "list_doc_pages": _list_doc_pages,
    "get_doc_page": _get_doc_page,
    "list_sites": _list_sites,
    "submit_document": _submit_document,
    "job_progress": _job_progress,
    "cancel_job": _cancel_job,
}
