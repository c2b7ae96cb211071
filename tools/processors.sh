#!/usr/bin/env bash
# The numerical tests as other processors would run them: with the kernels that OpenBLAS (NumPy's and SciPy's) chooses
# there, and with another instruction set of the core. Four pairs, or those named:
#
#   tools/processors.sh
#   tools/processors.sh Haswell:x86_64_v3 Prescott:x86_64_v2
#   THREADS="1 2" ORDERS="1 2 3" tools/processors.sh SkylakeX:x86_64_v4
#
# The package must have been built with -Csetup-args=-Dportable=true, so that it has all instruction sets.
# Sums are rounded in another order by each of them; a test that one of them fails is a defect of the code or of the test.
# TESTS names other tests than the numerical ones. THREADS are numbers of threads of all libraries, by default what the
# machine has. ORDERS are seeds (pip install pytest-randomly): each shuffles the tests and draws other generated cases.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra tests <<< "${TESTS:-tests/unit tests/oracle tests/property}"
read -ra threads <<< "${THREADS:-all}"
read -ra orders <<< "${ORDERS:-none}"
if [ $# = 0 ]; then set -- Prescott:x86_64_v2 Haswell:x86_64_v2 Zen:x86_64_v3 SkylakeX:x86_64_v3; fi

run() { # pair, number of threads, seed
  export OPENBLAS_CORETYPE=${1%:*} DRR_ISA=${1#*:}
  if [ "$2" != all ]; then export OMP_NUM_THREADS=$2 OPENBLAS_NUM_THREADS=$2; fi
  local order=(-p no:randomly)
  if [ "$3" != none ]; then
    order=(--randomly-seed="$3")
    export DRR_PROPERTY_CASES=${DRR_PROPERTY_CASES:-50}
  fi
  echo "== OpenBLAS as on $OPENBLAS_CORETYPE, core for $DRR_ISA, threads: $2, order: $3"
  python -m pytest -q -p no:cacheprovider "${order[@]}" "${tests[@]}"
}

for pair in "$@"; do
  for number in "${threads[@]}"; do
    for seed in "${orders[@]}"; do (run "$pair" "$number" "$seed"); done
  done
done
