"""What pages does a site have, and how are they had with manners? See `run.py` for the loop.

`crawl` and `crawl_detailed` are for programs that have neither event loop nor index; see `library.py`.
"""

from __future__ import annotations

from webdocs.crawl.address import AllowList, judge_address, judge_host
from webdocs.crawl.fetch_injected import FetchResult
from webdocs.crawl.library import CrawledPage, CrawlResult, crawl, crawl_detailed
from webdocs.crawl.markdown import MarkdownRules
from webdocs.crawl.past import Past, outcome_of
from webdocs.crawl.prune import Evidence, Sight, Verdict, judge_pages
from webdocs.crawl.reading import OTHER_URL_RULES, Read, Reading, Recall
from webdocs.crawl.refusals import RefusedLinks
from webdocs.crawl.report import CrawlReport
from webdocs.crawl.run import PRODUCT_TOKEN, Crawl, OnPage
from webdocs.crawl.scope import Scope
from webdocs.crawl.url import (
    host_of,
    join,
    key_of,
    page_url,
    parse_start,
    path_of,
    port_of,
    registrable_domain,
    strip_fragment,
)

__all__ = [
    "OTHER_URL_RULES",
    "PRODUCT_TOKEN",
    "AllowList",
    "Crawl",
    "CrawlReport",
    "CrawlResult",
    "CrawledPage",
    "Evidence",
    "FetchResult",
    "MarkdownRules",
    "OnPage",
    "Past",
    "Read",
    "Reading",
    "Recall",
    "RefusedLinks",
    "Scope",
    "Sight",
    "Verdict",
    "crawl",
    "crawl_detailed",
    "host_of",
    "join",
    "judge_address",
    "judge_host",
    "judge_pages",
    "key_of",
    "outcome_of",
    "page_url",
    "parse_start",
    "path_of",
    "port_of",
    "registrable_domain",
    "strip_fragment",
]
