"""What is DuckDB's own: the file, its lock, its age, its compaction, two threads at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import numpy as np
import pytest

from contracts.records import EMBEDDER, NOW, indexed, page, source
from webdocs.errors import StoreError, StoreFormatError, StorePathError
from webdocs.model import Job, TextWeights, Within
from webdocs.store.duckdb import DuckStore
from webdocs.store.duckdb import store as store_module
from webdocs.store.duckdb.posting_memory import load_postings


def open_store(path: Path, identity: str = EMBEDDER.identity, dim: int = EMBEDDER.dim) -> DuckStore:
    return DuckStore(str(path), identity, dim)


def words_found(store: DuckStore, *terms: str) -> list[str]:
    scores = store.text_scores(terms, TextWeights(), Within(), 1000)
    return sorted({chunk.url for chunk in store.chunks(scores.chunk_ids.tolist())})


def test_a_job_of_before_deletions_were_recorded_is_read(tmp_path: Path) -> None:
    of = source()
    job = Job("a", of.source_id, of.site, "", of.root_url, "completed", NOW, notes=("cut",))
    first = open_store(tmp_path / "i.duckdb")
    first.save_job(job)
    first.close()
    with duckdb.connect(str(tmp_path / "i.duckdb")) as raw:
        raw.execute("UPDATE job SET body = json_merge_patch(body, '{\"pruned\": null}')")
    again = open_store(tmp_path / "i.duckdb")
    assert again.jobs(10) == (job,)
    again.close()


def test_the_log_beside_the_database_is_its_owners_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path / "i.duckdb")
    store.save_source(source())
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    store.close()
    assert modes == {"i.duckdb": 0o600, "i.duckdb.wal": 0o600}


def test_a_new_database_is_its_owners_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    open_store(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    open_store(path).close()
    assert path.stat().st_mode & 0o777 == 0o640


def test_deleted_pages_are_gone_after_reopening(tmp_path: Path) -> None:
    of = source()
    first = open_store(tmp_path / "i.duckdb")
    first.save_source(of)
    pages = [indexed(page(f"https://docs.test/{name}", name, "zebra"), of) for name in "ab"]
    first.replace_pages(pages)
    assert first.delete_pages(of.source_id, [pages[0].page_id]) == 1
    assert words_found(first, "zebra") == ["https://docs.test/b"]
    first.close()
    again = open_store(tmp_path / "i.duckdb")
    assert words_found(again, "zebra") == ["https://docs.test/b"]
    again.close()


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    of = source()
    first = open_store(tmp_path / "i.duckdb")
    first.save_source(of)
    first.replace_pages([indexed(page("https://docs.test/a", "Alpha", "zebra"), of, aliases=("https://docs.test/z",))])
    before = first.text_scores(["zebra"], TextWeights(), Within(), 10)
    first.close()
    again = open_store(tmp_path / "i.duckdb")
    after = again.text_scores(["zebra"], TextWeights(), Within(), 10)
    assert after.chunk.tolist() == before.chunk.tolist()
    assert again.sources() == (of,)
    again.close()


def test_a_second_process_is_told_that_the_file_is_held(tmp_path: Path) -> None:
    held = open_store(tmp_path / "i.duckdb")
    code = (
        "import sys\nfrom webdocs.errors import StoreLockedError\nfrom webdocs.store.duckdb import DuckStore\n"
        "try:\n    DuckStore(sys.argv[1], 'hashing:1:64', 64)\n"
        "except StoreLockedError as error:\n    print('locked', error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "i.duckdb")], capture_output=True, text=True, check=False
    )
    held.close()
    assert done.stdout.startswith("locked Another process holds"), done.stderr


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        pytest.param(lambda p: p.mkdir(), StorePathError, "cannot be opened", id="C-a-folder-in-its-place"),
        pytest.param(
            lambda p: p.write_bytes(b"no database" * 2000), StoreFormatError, "not a database", id="C-other-file"
        ),
        pytest.param(lambda p: p.parent.joinpath("x").write_text(""), None, "", id="control-a-free-path"),
    ],
)
def test_a_path_that_cannot_hold_the_database_is_named(tmp_path: Path, make, error, words) -> None:
    path = tmp_path / "i.duckdb"
    make(path)
    if error is None:
        open_store(path).close()
        return
    with pytest.raises(error, match=words) as caught:
        open_store(path)
    assert str(path) in caught.value.what
    assert "WEBDOCS_DB_PATH" in caught.value.remedy


def test_C_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorePathError, match="cannot be made"):
        open_store(tmp_path / "file" / "i.duckdb")


def test_a_duckdb_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE theirs (x INTEGER)")
    with pytest.raises(StoreFormatError, match="not one of webdocs"):
        open_store(path)
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("theirs",)]


def test_G2_a_file_of_a_newer_webdocs_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path / "i.duckdb").close()
    with duckdb.connect(str(tmp_path / "i.duckdb")) as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key = 'schema'")
    with pytest.raises(StoreFormatError, match="newer webdocs"):
        open_store(tmp_path / "i.duckdb")


def test_G2_chunks_of_before_sections_were_kept_widen_to_their_page(tmp_path: Path) -> None:
    of = source()
    first = open_store(tmp_path / "i.duckdb")
    first.save_source(of)
    written = indexed(page("https://docs.test/a", "Alpha", "zebra"), of)
    first.replace_pages([written])
    first.close()
    make_schema_7(tmp_path / "i.duckdb")
    with duckdb.connect(str(tmp_path / "i.duckdb")) as raw:
        raw.execute("ALTER TABLE chunk DROP COLUMN parents")
        raw.execute("ALTER TABLE page DROP COLUMN modified_at")
        raw.execute("UPDATE meta SET value = '5' WHERE key = 'schema'")
    again = open_store(tmp_path / "i.duckdb")
    (chunk,) = again.section_chunks(written.page_id, 0)
    assert (chunk.text, chunk.parents) == ("# Alpha\n\nzebra", (0,))
    assert (tmp_path / "i.duckdb.schema-5.backup").exists()
    again.close()


def test_G2_an_index_keeps_its_vectors_when_another_embedder_is_set(tmp_path: Path) -> None:
    of = source()
    first = open_store(tmp_path / "i.duckdb")
    first.save_source(of)
    first.replace_pages([indexed(page("https://docs.test/a", "Alpha", "zebra"), of)])
    first.close()
    again = open_store(tmp_path / "i.duckdb", "static:x:256", 256)
    assert (again.generation().identity, again.generation().dim) == (EMBEDDER.identity, EMBEDDER.dim)
    near = again.vector_scores(EMBEDDER.embed_query("zebra"), EMBEDDER.identity, Within(), 10, np.empty(0, np.int64))
    assert near.cosine.max() > 0
    again.close()


def test_an_empty_index_takes_another_embedder(tmp_path: Path) -> None:
    open_store(tmp_path / "i.duckdb").close()
    store = open_store(tmp_path / "i.duckdb", "static:x:256", 256)
    assert (store.generation().identity, store.generation().dim) == ("static:x:256", 256)
    assert store.next_generation() is None
    store.close()


def test_G2_vectors_of_before_generations_are_brought_over(tmp_path: Path) -> None:
    of = source()
    first = open_store(tmp_path / "i.duckdb")
    first.save_source(of)
    first.replace_pages([indexed(page(f"https://docs.test/{name}", name, f"zebra {name}"), of) for name in "abc"])
    query = EMBEDDER.embed_query("zebra b")
    before = first.vector_scores(query, EMBEDDER.identity, Within(), 10, np.empty(0, np.int64))
    first.close()
    make_schema_7(tmp_path / "i.duckdb")
    again = open_store(tmp_path / "i.duckdb")
    after = again.vector_scores(query, EMBEDDER.identity, Within(), 10, np.empty(0, np.int64))
    assert (after.chunk_ids.tolist(), after.cosine.tolist()) == (before.chunk_ids.tolist(), before.cosine.tolist())
    assert (again.generation().identity, again.generation().dim) == (EMBEDDER.identity, EMBEDDER.dim)
    assert (tmp_path / "i.duckdb.schema-7.backup").exists()
    again.close()


def make_schema_7(path: Path) -> None:
    """Take a file back to the schema in which each chunk held its one vector."""
    with duckdb.connect(str(path)) as raw:
        raw.execute("ALTER TABLE chunk ADD COLUMN vector BLOB")
        raw.execute("UPDATE chunk SET vector = v.windows FROM vector v WHERE v.chunk_id = chunk.id")
        raw.execute("INSERT INTO meta SELECT 'embedder', identity FROM generation WHERE is_current")
        raw.execute("DROP TABLE vector")
        raw.execute("DROP TABLE generation")
        raw.execute("DROP SEQUENCE generation_number")
        raw.execute("UPDATE meta SET value = '7' WHERE key = 'schema'")


def test_files_of_the_machine_cannot_be_read_through_the_database(tmp_path: Path) -> None:
    store = open_store(tmp_path / "i.duckdb")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(duckdb.Error):
        store._database.cursor().execute(f"SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    store.close()


def test_compaction_keeps_what_lives_and_drops_what_died(tmp_path: Path) -> None:
    store = open_store(tmp_path / "i.duckdb")
    of = source()
    store.save_source(of)
    for number in range(store_module.COMPACT_AT_SEGMENTS):
        text = f"common zebra{number}"
        store.replace_pages([indexed(page(f"https://docs.test/{number % 40}", f"T{number}", text), of)])
    before = store.text_scores(["common"], TextWeights(), Within(), 1000)
    living = words_found(store, "common")
    store.compact()
    after = store.text_scores(["common"], TextWeights(), Within(), 1000)
    assert (after.chunk_ids.tolist(), after.chunk.tolist()) == (before.chunk_ids.tolist(), before.chunk.tolist())
    assert words_found(store, "common") == living
    assert len(living) == 40
    cursor = store._database.cursor()
    assert load_postings(cursor).of(["zebra0"])[0].chunks.size == 0
    assert (
        cursor.execute("SELECT count(*), count(DISTINCT (term, kind)) FROM posting").fetchone()
        == (cursor.execute("SELECT count(*) FROM posting").fetchone()[0],) * 2
    )
    store.close()
    again = open_store(tmp_path / "i.duckdb")
    assert words_found(again, "common") == living
    again.close()


def test_G3_readers_beside_a_writer_see_whole_pages_only() -> None:
    store = DuckStore(":memory:", EMBEDDER.identity, EMBEDDER.dim)
    of = source()
    store.save_source(of)

    def version(number: int) -> None:
        store.replace_pages([indexed(page("https://docs.test/a", "Alpha", f"both{number} same"), of)])

    version(0)
    is_over = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not is_over.is_set():
            scores = store.text_scores(["same"], TextWeights(), Within(), 10)
            seen.append(len(scores.chunk_ids))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, 30):
        version(number)
    is_over.set()
    reader.join()
    store.close()
    assert set(seen) == {1}


def test_a_closed_database_says_so() -> None:
    store = DuckStore(":memory:", EMBEDDER.identity, EMBEDDER.dim)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.counts()


def test_the_lock_is_free_after_closing(tmp_path: Path) -> None:
    open_store(tmp_path / "i.duckdb").close()
    again = open_store(tmp_path / "i.duckdb")
    assert again.counts() == (0, 0)
    again.close()
