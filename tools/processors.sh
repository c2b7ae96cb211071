#!/usr/bin/env bash
# The numerical tests as other processors would run them: with the kernels that OpenBLAS (NumPy's and SciPy's) chooses
# there, and with another instruction set of the core. Four pairs, or those named:
#
#   tools/processors.sh
#   tools/processors.sh Haswell:x86_64_v3 Prescott:x86_64_v2
#
# The package must have been built with -Csetup-args=-Dportable=true, so that it has all instruction sets.
# Sums are rounded in another order by each of them; a test that one of them fails is a defect of the code or of the test.
# TESTS names other tests than the numerical ones.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra tests <<< "${TESTS:-tests/unit tests/oracle tests/property}"
if [ $# = 0 ]; then set -- Prescott:x86_64_v2 Haswell:x86_64_v2 Zen:x86_64_v3 SkylakeX:x86_64_v3; fi
for pair in "$@"; do
  echo "== OpenBLAS as on ${pair%:*}, core for ${pair#*:}"
  OPENBLAS_CORETYPE=${pair%:*} DRR_ISA=${pair#*:} python -m pytest -q -p no:cacheprovider "${tests[@]}"
done
