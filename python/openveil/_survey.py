"""Files of statistics packages: SPSS, Stata and SAS, with codes, their labels and missing codes."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _openveil
from ._frames import take
from ._errors import FileError, InputError
from ._warnings import warn

if TYPE_CHECKING:
    from ._release import Release

#: Readers of pyreadstat by the ending of a file.
READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}

#: Missing codes are values in SPSS, and letters in Stata and SAS. Other formats have none.
_SPSS, _LETTERS = (".sav", ".zsav"), (".dta", ".sas7bdat")

#: The most missing codes of a column in SPSS that are no range.
_MOST = 3

#: Labels by code, missing codes, and whether codes are texts although they may look like numbers.
_Codebook = tuple[dict[str, str], list[str], bool]


def read_survey(path: str, ending: str, labels: bool) -> _openveil.Table:
    """Returns a table with codebooks; with ``labels``, labels instead of codes."""
    import pyreadstat

    given: dict[str, bool] = {} if ending == ".xpt" else {"apply_value_formats": labels}
    if not labels and ending in _SPSS + _LETTERS:
        given["user_missing"] = True
    try:
        frame, about = getattr(pyreadstat, READERS[ending])(path, **given)
    except pyreadstat.ReadstatError as cause:
        raise FileError(f"{path}: cannot read the file: {cause}") from None
    codebooks: dict[str, _Codebook] = {}
    for name in frame.columns:
        frame[name], codebook = _column(frame[name], about, name)
        if codebook[0] or codebook[1]:
            codebooks[name] = codebook
    said = {name: label for name, label in about.column_names_to_labels.items() if label}
    return take(frame)[0].with_codebooks(said, codebooks)


def _column(column: Any, about: Any, name: str) -> tuple[Any, _Codebook]:
    """Returns a column of codes as texts, or of values without missing codes; and its codebook."""
    import pandas as pd

    is_text = about.readstat_variable_types.get(name) == "string"
    present = [] if isinstance(column.dtype, pd.CategoricalDtype) else column.dropna().unique().tolist()
    if column.dtype.kind == "M" or not all(isinstance(value, (str, int, float)) for value in present):
        return column, ({}, [], is_text)
    known = about.variable_value_labels.get(name, {})
    is_missing = _missing(about, name, is_text)
    absent = [value for value in present if is_missing(value)]
    is_code = [value in known for value in present if value not in absent]
    if any(is_code) and all(is_code):
        missing = [code_of(value, is_text) for value in {*known, *absent} if is_missing(value)]
        labels = {code_of(value, is_text): str(label) for value, label in known.items()}
        codes = column.map(lambda value: code_of(value, is_text), na_action="ignore")
        return codes.astype("str"), (labels, sorted(missing), is_text)
    hidden = column.isin(absent)
    if absent:
        note = f"column `{name}`: {hidden.sum()} values that the survey calls missing are published as missing"
        warn([f"{note}, whatever their code"], stacklevel=5)
        column = column.mask(hidden)
    if present and not is_text and not any(isinstance(value, str) for value in {*present} - {*absent}):
        column = pd.to_numeric(column)
        # Whole numbers are floats in these files.
        rest = column.dropna()
        if column.dtype.kind == "f" and (rest % 1 == 0).all() and (rest.abs() < 2**53).all():
            column = column.astype("Int64")
    labels = {code_of(value, is_text): str(label) for value, label in known.items()}
    return column, (labels, [], is_text)


def _missing(about: Any, name: str, is_text: bool) -> Callable[[Any], bool]:
    """Returns a test whether the survey declares a value as missing."""
    letters = about.missing_user_values.get(name, ())
    ranges = [(own["lo"], own["hi"]) for own in about.missing_ranges.get(name, ())]

    def is_missing(value: Any) -> bool:
        if isinstance(value, str) != is_text:
            return value in letters
        return any(low <= value <= high for low, high in ranges)

    return is_missing


def code_of(value: Any, is_text: bool) -> str:
    """Returns a code as a text: ``1``, ``1.5``, ``.a`` (a missing code of Stata or SAS), or the text itself."""
    if isinstance(value, str):
        return value if is_text else f".{value}"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def write_survey(release: Release, path: str | os.PathLike[str]) -> None:
    """Write the rows of a release as a file of SPSS or Stata; see :meth:`Release.export`."""
    import pandas as pd
    import pyreadstat

    file = os.fspath(path)
    ending = os.path.splitext(file)[1].lower()
    if ending not in (*_SPSS, ".dta"):
        raise InputError(f"{file}: cannot be written\n  help: name a file that ends in .sav, .zsav or .dta")
    table = release._first({release._main: release._native_table(unpack=True)})
    entries = {entry["name"]: entry for entry in release.manifest["columns"]}
    columns: dict[str, Any] = {}
    about: dict[str, Any] = {"column_labels": {}, "variable_value_labels": {}}
    missing: dict[str, Any] = {}
    for name, kind in zip(table.columns, table.types, strict=True):
        numbers, texts = table.codes(name)
        codebook = entries.get(name, {}).get("codes", {})
        labels, absent = codebook.get("labels", {}), codebook.get("missing", [])
        is_coded = bool(labels or absent) and not codebook.get("text", False)
        value_of = _value_of(name, kind, texts, is_coded, ending)
        values = [value_of(text) for text in texts]
        column = pd.Series([values[code] for code in memoryview(numbers).cast("I")], dtype=object)
        is_whole = all(isinstance(value, int) for value in values if value is not None)
        columns[name] = column.astype("Int64") if is_whole else column if kind == "date" else column.infer_objects()
        if codebook.get("label"):
            about["column_labels"][name] = codebook["label"]
        if labels:
            about["variable_value_labels"][name] = {value_of(code): label for code, label in labels.items()}
        if absent and ending == ".dta":
            missing[name] = [value_of(code) for code in absent]
        elif absent:
            rest = [value_of(code) for code in texts if code and code not in absent]
            missing[name] = _ranges(name, [value_of(code) for code in absent], rest)
    about["missing_user_values" if ending == ".dta" else "missing_ranges"] = missing
    write = pyreadstat.write_dta if ending == ".dta" else pyreadstat.write_sav
    if ending == ".zsav":
        about["compress"] = True
    try:
        write(pd.DataFrame(columns), file, **about)
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError) as cause:
        raise FileError(f"{file}: cannot write the file: {cause}") from None


def _value_of(
    name: str, kind: str, texts: Sequence[str], is_coded: bool, ending: str
) -> Callable[[str], Any]:
    """Returns a function that reads the texts of a column as values of these files."""

    def is_code(text: str) -> bool:
        if text.startswith("."):
            return ending == ".dta" and len(text) == 2
        try:
            return code_of(float(text), False) == text
        except ValueError:
            return False

    if kind in ("integer", "number") or kind == "text" and is_coded and all(map(is_code, filter(None, texts))):
        large = [text for text in texts if text and text[0] != "." and abs(float(text)) >= 2**53]
        if large and kind != "number":
            raise InputError(
                f"column `{name}`: has whole numbers of 16 digits or more, which files of SPSS and Stata cannot hold"
                "\n  help: publish the column as text"
            )
        return lambda text: None if text == "" else text[1:] if text[0] == "." else _number(text)
    if kind == "date":
        return lambda text: datetime.date.fromisoformat(text) if text else None
    if kind == "boolean":
        return lambda text: int(text == "true") if text else None
    return lambda text: text


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _ranges(name: str, missing: list[Any], rest: list[Any]) -> list[Any]:
    """Returns missing codes as SPSS declares them: three of them, or all between two and one more."""
    if len(missing) <= _MOST:
        return list(missing)
    by_size = sorted(missing)
    for single in (None, by_size[0], by_size[-1]):
        ends = [code for code in by_size if code != single]
        if not any(ends[0] <= code <= ends[-1] for code in rest):
            return [{"lo": ends[0], "hi": ends[-1]}, *([] if single is None else [single])]
    note = f"column `{name}`: SPSS cannot declare {len(missing)} missing codes among other codes; they are codes there"
    warn([note], stacklevel=4)
    return []
