"""What a crawl under way has settled, and the last good robots.txt of each origin.

`redirects`, `followed` and `unfollowed` are JSON lists; the two lists of links are null unless the page came in and is
not stored. `number` counts the steps of a job, so that they are read in their order.
"""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE crawl_step (
        job_id VARCHAR NOT NULL, number BIGINT NOT NULL, url VARCHAR NOT NULL, depth INTEGER NOT NULL,
        parent_url VARCHAR, kind VARCHAR NOT NULL, final_url VARCHAR NOT NULL, redirects VARCHAR NOT NULL,
        status INTEGER, rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, content_hash VARCHAR NOT NULL,
        is_fetched BOOLEAN NOT NULL, is_new BOOLEAN NOT NULL, chunks INTEGER NOT NULL,
        followed VARCHAR, unfollowed VARCHAR)""",
    "CREATE SEQUENCE crawl_step_number START 1",
    """CREATE TABLE robots_copy (
        origin VARCHAR PRIMARY KEY, body BLOB NOT NULL, fetched_at TIMESTAMP NOT NULL)""",
)
