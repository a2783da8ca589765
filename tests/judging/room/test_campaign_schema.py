"""Tables for organising many people are there in every database, old ones too."""

from pathlib import Path

from sqlalchemy import inspect

from leadline.judging.room.campaign_schema import lay_out_campaign, tables
from tests.judging.room.rooms import in_file


def test_tables_are_made_once(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    lay_out_campaign(database.engine)
    names = set(inspect(database.engine).get_table_names())
    assert set(tables.tables) <= names
    assert {"person", "secret"} <= names
    database.close()
