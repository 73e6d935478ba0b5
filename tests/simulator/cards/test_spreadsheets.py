"""Card files as spreadsheets leave them: .xlsx, .ods, UTF-16, Windows-1252, columns of the designer's own."""

import builtins
import csv
import io
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from terrors.simulator.cards import spreadsheet
from terrors.simulator.cards.card_set import CardFileError, CardSet, load_cards
from terrors.simulator.runs.plan import Plan, PlanError
from tests.support.places import FROZEN

ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Sheet1">{}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)

MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
)


@pytest.fixture(scope="module")
def rows() -> list[list[str]]:
    return list(csv.reader(io.StringIO(load_cards(FROZEN).to_csv())))


def written(rows: list[list[str]], separator: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def test_a_cell_far_away_does_not_fill_memory(tmp_path, monkeypatch):
    """A workbook is laid out from its first cell to its last: one in the last row and column would take 17 thousand million cells between."""
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "far.xlsx") as book:
        sheet = book.add_worksheet("cards")
        sheet.write_string(0, 0, "name")
        sheet.write_string(1_048_575, 16_383, "far")
    assert problems(tmp_path / "far.xlsx") == ["far.xlsx: a sheet has 1,048,576 rows and 16,384 columns; delete the cells far away from the cards"]
    monkeypatch.setattr(spreadsheet, "MOST_BYTES", 1 << 10)
    assert problems(tmp_path / "far.xlsx") == ["far.xlsx: it unpacks to more than 0 MB; save the sheet of cards alone"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end here")
def test_a_file_without_an_end_is_refused():
    assert problems(Path("/dev/zero")) == ["/dev/zero: cannot be read (it is larger than 32 MB)"]
    with pytest.raises(PlanError, match=r"^/dev/zero: the plan cannot be read \(it is larger than 32 MB\); give the path of a TOML file\.$"):
        Plan.read(Path("/dev/zero"))


def problems(path: Path) -> list[str]:
    with pytest.raises(CardFileError) as caught:
        load_cards(path)
    return caught.value.problems


def write_xlsx(path: Path, rows: list[list[str]], sheet: str = "cards") -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("notes").write(0, 0, "nothing of interest")
        page = book.add_worksheet(sheet)
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                page.write(at, column, float(cell) if cell.isdecimal() else cell)


def write_ods(path: Path, rows: list[list[str]]) -> None:
    def cell(text: str) -> str:
        if text.isdecimal():
            return f'<table:table-cell office:value-type="float" office:value="{text}"><text:p>{text}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>' if text else "<table:table-cell/>"

    content = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", MANIFEST)
        book.writestr("content.xml", ODS.format(content))


def same(found: CardSet) -> bool:
    return found.sha256 == load_cards(FROZEN).sha256


def test_an_excel_file(tmp_path, rows):
    write_xlsx(tmp_path / "mine.xlsx", rows)
    assert same(load_cards(tmp_path / "mine.xlsx"))
    ghoul = next(row for row in rows if row[0] == "Ghoul")
    write_xlsx(tmp_path / "broken.xlsx", [*rows[: rows.index(ghoul)], [*ghoul[:5], "2.5", *ghoul[6:]], *rows[rows.index(ghoul) + 1 :]])
    assert problems(tmp_path / "broken.xlsx") == [f"broken.xlsx, row {rows.index(ghoul) + 1}, Ghoul, cost: '2.5' is not a whole number"]


def test_a_libreoffice_file(tmp_path, rows):
    write_ods(tmp_path / "mine.ods", rows)
    assert same(load_cards(tmp_path / "mine.ods"))


def test_a_file_that_is_no_spreadsheet(tmp_path):
    (tmp_path / "mine.xlsx").write_bytes(b"PK but no zip")
    assert problems(tmp_path / "mine.xlsx")[0].startswith(f"{tmp_path / 'mine.xlsx'}: this is no spreadsheet that can be read (")
    assert problems(tmp_path / "none.ods") == [f"{tmp_path / 'none.ods'}: there is no such file"]


def test_without_the_reader_it_says_what_to_install(tmp_path, rows, monkeypatch):
    write_xlsx(tmp_path / "mine.xlsx", rows)
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "python_calamine":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    (problem,) = problems(tmp_path / "mine.xlsx")
    assert problem.endswith("is not installed; install it with: pip install python-calamine, or save the file as CSV")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_encodings_that_say_what_they_are(tmp_path, rows, encoding, separator):
    (tmp_path / "cards.csv").write_bytes(written(rows, separator).encode(encoding))
    found = load_cards(tmp_path / "cards.csv")
    assert same(found)
    assert found.notes == ()


def test_windows_1252_is_read_and_noted(tmp_path, rows):
    text = written([[cell.replace("Ghoul", "Goüle – «vieux»") for cell in row] for row in rows])
    (tmp_path / "cards.csv").write_bytes(text.encode("cp1252"))
    found = load_cards(tmp_path / "cards.csv")
    assert found.by_name("Goüle – «vieux»").copies > 1
    assert found.notes == ("cards.csv: this is not UTF-8 and was read as Windows-1252; if a name looks wrong in `terrors cards`, save it as 'CSV UTF-8'",)


def test_a_line_of_excel_that_names_the_separator(tmp_path, rows):
    (tmp_path / "cards.csv").write_text("sep=;\r\n" + written(rows, ";"), encoding="utf-8", newline="")
    assert same(load_cards(tmp_path / "cards.csv"))


def test_columns_of_the_designer_are_kept(tmp_path, rows):
    own = [[rows[0][0], "Artist", *rows[0][1:], "art"], *([row[0], "Blake", *row[1:], f"{row[0]}.png"] for row in rows[1:])]
    (tmp_path / "cards.csv").write_text(written(own), encoding="utf-8", newline="")
    found = load_cards(tmp_path / "cards.csv")
    assert same(found)
    assert found.by_name("Ghoul").own == {"artist": "Blake", "art": "Ghoul.png"}
    assert found.replace("Ghoul.cost=3").by_name("Ghoul").own["artist"] == "Blake"
    assert found.notes == ("cards.csv: the columns 'artist' and 'art' are your own; they are kept, and nothing is read from them",)


def test_two_point_nought_is_two(tmp_path, rows):
    (tmp_path / "cards.csv").write_text(written([[f"{cell}.0" if cell.isdecimal() else cell for cell in row] for row in rows]), encoding="utf-8", newline="")
    assert same(load_cards(tmp_path / "cards.csv"))


def test_a_field_too_many(tmp_path, rows):
    (tmp_path / "cards.csv").write_text(written([*rows[:8], [*rows[8], "x"], *rows[9:]]), encoding="utf-8", newline="")
    assert problems(tmp_path / "cards.csv") == [
        f"cards.csv, row 9, {rows[8][0]}: row 9 has 17 fields, the header 16; a field with ',' in it needs quotation marks around it"
    ]
