"""The data sets of the paper with the counts of its tables, and their public sources."""

from __future__ import annotations

from typing import NamedTuple


class Counts(NamedTuple):
    """Rows, continuous and categorical columns, rows of the rare class."""

    n: int
    n_continuous: int
    n_categorical: int
    n_minority: int


TABULAR = {
    "abalone": Counts(2338, 7, 1, 58),
    "abalone_19": Counts(4177, 10, 0, 32),
    "arrhythmia": Counts(452, 278, 0, 25),
    "boundary": Counts(3505, 0, 175, 123),
    "cam": Counts(18916, 0, 132, 942),
    "car-good": Counts(1728, 0, 6, 69),
    "compustat": Counts(13657, 20, 0, 520),
    "flare-f": Counts(1066, 7, 4, 43),
    "glass4": Counts(214, 9, 0, 13),
    "hypo": Counts(2068, 5, 14, 122),
    "isolet": Counts(7797, 617, 0, 600),
    "led": Counts(443, 0, 7, 37),
    "libras_move": Counts(360, 90, 0, 24),
    "mammography": Counts(11183, 6, 0, 260),
    "oil": Counts(937, 46, 0, 41),
    "phoss": Counts(11411, 0, 480, 613),
    "scene": Counts(2407, 294, 0, 177),
    "sick": Counts(3621, 1, 20, 225),
    "spectrometer": Counts(531, 93, 0, 45),
    "us_crime": Counts(1994, 100, 0, 150),
    "vowel0": Counts(988, 10, 2, 90),
    "winequality": Counts(656, 11, 0, 18),
    "yeast": Counts(482, 8, 0, 20),
    "yeast_ml8": Counts(2417, 103, 0, 178),
}

# OpenML identifiers (version 1) and rows of the rare class, of 1545.
GENE_TASKS_OF_THE_PAPER = {
    "OVA_Breast": (1128, 344),
    "OVA_Colon": (1161, 286),
    "OVA_Endometrium": (1142, 61),
    "OVA_Kidney": (1134, 260),
    "OVA_Lung": (1130, 126),
    "OVA_Ovary": (1166, 198),
    "OVA_Prostate": (1146, 69),
    "OVA_Uterus": (1138, 124),
}


def is_gene_task(name: str) -> bool:
    """Whether a data set is a one-versus-rest task on gene expression: the paper's, or ``source:label``."""
    return ":" in name or name in GENE_TASKS_OF_THE_PAPER
