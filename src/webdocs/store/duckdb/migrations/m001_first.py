"""The first schema.

Times are UTC. Page ids are 63-bit hashes (`model.page_id_of`), chunk ids count up and are never used again, so
that a posting of a replaced page can be told from a living one. `posting.docs` is a packed array whose layout
`postings.py` gives; a commit writes one row for each of its terms, and compaction joins them.
"""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = (
    "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)",
    """CREATE TABLE source (
        id VARCHAR PRIMARY KEY, site VARCHAR NOT NULL, version VARCHAR NOT NULL, root_url VARCHAR NOT NULL,
        options VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL)""",
    """CREATE TABLE page (
        id BIGINT NOT NULL, source_id VARCHAR NOT NULL, url VARCHAR NOT NULL, title VARCHAR NOT NULL,
        markdown VARCHAR NOT NULL, language VARCHAR NOT NULL, content_hash VARCHAR NOT NULL,
        etag VARCHAR NOT NULL, last_modified VARCHAR NOT NULL, fetched_at TIMESTAMP NOT NULL,
        checked_at TIMESTAMP NOT NULL, parent_id BIGINT, depth INTEGER NOT NULL, revision UINTEGER NOT NULL)""",
    "CREATE TABLE alias (id BIGINT NOT NULL, page_id BIGINT NOT NULL)",
    """CREATE TABLE link (
        page_id BIGINT NOT NULL, url VARCHAR NOT NULL, text VARCHAR NOT NULL, in_main BOOLEAN NOT NULL,
        follow BOOLEAN NOT NULL)""",
    """CREATE TABLE chunk (
        id BIGINT PRIMARY KEY, page_id BIGINT NOT NULL, position INTEGER NOT NULL, heading_path VARCHAR NOT NULL,
        anchor VARCHAR NOT NULL, anchors VARCHAR NOT NULL, text VARCHAR NOT NULL, tokens INTEGER NOT NULL,
        body_terms UINTEGER NOT NULL, heading_terms UINTEGER NOT NULL, vector BLOB NOT NULL)""",
    """CREATE TABLE posting (
        term VARCHAR NOT NULL, kind UTINYINT NOT NULL, segment UINTEGER NOT NULL, docs BLOB NOT NULL)""",
    """CREATE TABLE job (
        id VARCHAR PRIMARY KEY, source_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, body VARCHAR NOT NULL)""",
    "CREATE SEQUENCE chunk_id START 1",
    "CREATE SEQUENCE revision START 1",
)
