"""Files whose columns have types of their own: Parquet, spreadsheets and annotated matrices."""

from __future__ import annotations

import abc
import functools
import importlib.util
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drr.cli._errors import CommandError, require


class ParquetFile:
    """A Parquet file, read in batches of rows."""

    kind = "Parquet"
    is_text = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parquet = require("pyarrow.parquet")

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""
        return (OSError, require("pyarrow").ArrowException)

    def size(self) -> tuple[int, str]:
        """Return the rows to read."""
        return self._parquet.read_metadata(self._path).num_rows, "rows"

    def columns(self) -> list[str]:
        """Return the names of the columns, without an index that pandas has written."""
        schema = self._parquet.read_schema(self._path)
        return [name for name in schema.names if not name.startswith("__index_level_")]

    def chunks(
        self, columns: list[str], _text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames of Arrow's own types, in which whole numbers stay whole next to missing ones."""
        pandas = require("pandas")
        with self._parquet.ParquetFile(self._path) as file:
            done = 0
            for batch in file.iter_batches(n_rows or 2**16, columns=columns):
                frame = batch.to_pandas(types_mapper=pandas.ArrowDtype)
                yield frame[columns]
                done += len(frame)
                progress(done)


class WholeFile(abc.ABC):
    """A file that is read whole, as one frame, when the first of its rows or names is asked for."""

    kind: str
    is_text = False
    package: str
    extra: str

    def __init__(self, path: Path) -> None:
        self._path = path
        if importlib.util.find_spec(self.package) is None:
            raise CommandError(
                f'{path} needs {self.package}: pip install "density-ratio-rescoring[{self.extra}]"'
            )

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""
        return (OSError, ValueError, KeyError, zipfile.BadZipFile)

    def size(self) -> tuple[int, str]:
        """Return the rows to read."""
        return len(self.frame), "rows"

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.frame.columns)

    def chunks(
        self, columns: list[str], _text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames of rows of the one that was read."""
        step = n_rows or max(1, len(self.frame))
        for begin in range(0, len(self.frame), step):
            yield self.frame.iloc[begin : begin + step][columns].reset_index(drop=True)
            progress(min(begin + step, len(self.frame)))

    @functools.cached_property
    def frame(self) -> Any:
        """All rows."""
        frame = self._read()
        frame.columns = [str(name) for name in frame.columns]
        return frame

    @abc.abstractmethod
    def _read(self) -> Any:
        """Return the file as a pandas frame."""


class ExcelFile(WholeFile):
    """The first sheet of a spreadsheet, with names in the first row."""

    kind, package, extra = "Excel", "openpyxl", "excel"

    def _read(self) -> Any:
        return require("pandas").read_excel(self._path, engine="openpyxl")


class AnnotatedFile(WholeFile):
    """An AnnData file: a column per gene, then those of the annotation of the cells, and the names of the cells."""

    kind, package, extra = "AnnData", "anndata", "h5ad"

    @property
    def set_aside(self) -> list[str]:
        """The columns that describe a cell only if they are named: annotation often follows from the label."""
        return list(self.frame.columns[self._n_genes :])

    def _read(self) -> Any:
        pandas = require("pandas")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Variable names are not unique")
            data = require("anndata").read_h5ad(self._path)
        data.var_names_make_unique()
        genes, cells = data.to_df(), data.obs
        self._n_genes = genes.shape[1]
        texts = {
            name: column.astype(object)
            for name, column in cells.items()
            if not pandas.api.types.is_numeric_dtype(column)
        }
        names = pandas.DataFrame({cells.index.name or "cell": cells.index.astype(object)}, index=cells.index)
        return pandas.concat([genes, cells.assign(**texts), names], axis=1)
