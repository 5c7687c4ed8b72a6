"""The tables that `make pins` writes, as the library reads them."""

from conftest import ROOT
from constructs_lib.upstream import table_files


def test_the_date_of_all_tables_is_that_of_the_one_read_longest_ago(monkeypatch):
    dates = {"tables/a": "2026-03-01", "charts/tables/b": "2026-01-31", "charts/tables/c": "2026-02-01"}
    monkeypatch.setattr(table_files, "TABLES", tuple(dates))
    monkeypatch.setattr(table_files, "_bytes", lambda name: f'{{\n "source": "a",\n "read_on": "{dates[name]}",\n "b": 1\n}}'.encode())

    assert table_files.oldest_date() == "2026-01-31"


def test_every_table_of_the_package_is_listed_and_can_be_read():
    package = ROOT / "constructs_lib" / "upstream"
    files = sorted(path.relative_to(package).with_suffix("").as_posix() for path in package.rglob("tables/*.json"))

    assert list(table_files.TABLES) == files
    assert min(table_files.read_table(name)["read_on"] for name in files) == table_files.oldest_date()
