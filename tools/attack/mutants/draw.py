"""The sample, drawn so that it holds still: an operator's number depends on its own text, not on how many others there
are. A change of the sources then exchanges only the mutants of the lines that it touches, and what was found out about
the others stays true."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def in_random_order(sites: Iterable[T], text_of: Callable[[T], str], seed: int) -> list[T]:
    """Sorted by a hash of the seed and of what each says of itself, its rank among equals included."""
    equals: Counter[str] = Counter()
    numbered = []
    for site in sites:
        text = text_of(site)
        numbered.append((hashlib.sha256(f"{seed}|{text}|{equals[text]}".encode()).digest(), site))
        equals[text] += 1
    return [site for _, site in sorted(numbered, key=lambda pair: pair[0])]
