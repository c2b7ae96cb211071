"""``python -m drr``: a small demonstration on generated data."""

from __future__ import annotations

import drr


def main() -> None:
    drr.show_config()


if __name__ == "__main__":
    main()
