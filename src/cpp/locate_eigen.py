"""Print the include folder of the `cmeel-eigen` distribution; exit with 1 where it is not installed."""

import importlib.metadata
import sys

try:
    files = importlib.metadata.files("cmeel-eigen") or []
except importlib.metadata.PackageNotFoundError:
    files = []

for file in files:
    if file.as_posix().endswith("include/eigen3/Eigen/Core"):
        print(file.locate().resolve().parent.parent)
        sys.exit(0)
sys.exit(1)
