"""The tables that `make pins` writes, as the library reads them."""

import json

from constructs_lib.upstream import table_files


def test_the_date_of_all_tables_is_that_of_the_one_read_longest_ago(tmp_path, monkeypatch):
    for name, date in (("tables/a", "2026-03-01"), ("charts/tables/b", "2026-01-31"), ("charts/tables/c", "2026-02-01")):
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"read_on": date}))
    monkeypatch.setattr(table_files, "__file__", str(tmp_path / "table_files.py"))

    assert table_files.oldest_date() == "2026-01-31"
    assert table_files.read_table("tables/a") == {"read_on": "2026-03-01"}
