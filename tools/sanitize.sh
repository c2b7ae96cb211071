#!/usr/bin/env bash
# The core, its C++ tests and the Python tests that reach compiled code, under a sanitizer.
#
#   tools/sanitize.sh address            AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/sanitize.sh thread             ThreadSanitizer
#   tools/sanitize.sh address tests/unit/test_dual.py …    other Python tests than all of them
#
# Needs g++ or clang, meson, ninja, pybind11, Cython, Eigen and doctest, as in CONTRIBUTING. BUILD=directory keeps the
# build elsewhere than in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?address or thread}
shift
case $kind in
  address) sanitizers=address,undefined libraries="libasan.so libubsan.so" ;;
  # Every job is shared, however small: on one thread there is no race to see.
  thread) sanitizers=thread libraries="libtsan.so" definition=-DDRR_SHARE_EVERY_JOB ;;
  *) echo "unknown sanitizer $kind: address or thread" >&2 && exit 2 ;;
esac
tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
  tests=(tests/unit tests/oracle tests/property tests/contract)
  # They read files and start programs, and call nothing that is compiled.
  for name in distribution imports report_in_browser; do tests+=("--ignore=tests/contract/test_$name.py"); done
  # They bound memory and seconds, which an instrumented process exceeds; what is freed stays with the sanitizer for a while.
  for name in source_memory interrupt endurance; do tests+=("--ignore=tests/contract/test_$name.py"); done
  # Six hundred fits on a few rows each, to check the conventions of scikit-learn: no kernel that the others do not call.
  for name in sklearn_estimators sklearn_features; do tests+=("--ignore=tests/contract/test_$name.py"); done
  # The large data sets: minutes would become an hour.
  tests+=(--ignore=tests/oracle/test_paper_floors.py)
fi

build=$(mkdir -p "${BUILD:-build}" && realpath "${BUILD:-build}")/$kind
# One instruction set is enough: the other has the same sources. Frame pointers and -O1 keep the reports readable.
[ -d "$build" ] || meson setup "$build" -Dcore_tests=true -Dx86_64_v2=false -Dx86_64_v4=false -Dbuildtype=debug -Doptimization=1 \
  -Db_ndebug=false -Db_sanitize=$sanitizers -Db_lundef=false "-Dcpp_args=-fno-omit-frame-pointer ${definition:-}"
meson compile -C "$build"

# A report is a failure, not a remark. An allocation that is too large is Python's MemoryError, not a report.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
meson test -C "$build" --print-errorlogs --timeout-multiplier 10

# The interpreter itself is not instrumented: the sanitizer's libraries must come first, and libstdc++ with them, or a C++
# exception ends the process. What Python never gives back counts as a leak, so leaks are left to the C++ tests.
meson install -C "$build" --destdir installed --quiet
package=$(dirname "$(find "$build/installed" -path '*/drr/__init__.py')")
# An editable installation puts itself before everything else; the instrumented package is the one on the path, here and
# in the interpreters that tests start.
cat > "$package/../sitecustomize.py" <<END
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in ("polars", "onnxruntime"):
            raise ModuleNotFoundError(name)


sys.meta_path = [finder for finder in sys.meta_path if "esonpy" not in type(finder).__name__]
if "$kind" == "thread":
    # Importing polars crashes under ThreadSanitizer, importing onnxruntime is a race of its own: tests that need them skip.
    sys.meta_path.insert(0, Hidden())
END
# The threads of NumPy's BLAS are not instrumented either, and what they wrote looks like a race when NumPy frees it.
export OPENBLAS_NUM_THREADS=1
# pytest keeps what a test writes to itself, and a report ends the process: reports go to files.
reports=$build/report
rm -f "$reports".*
trap 'cat "$reports".* 2>/dev/null || true' EXIT
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$reports PYTHONPATH=$(realpath "$package/..")
export UBSAN_OPTIONS=$UBSAN_OPTIONS:log_path=$reports TSAN_OPTIONS=$TSAN_OPTIONS:log_path=$reports
# pyarrow's allocator holds more locks when a process forks than the detector of deadlocks can count; the C++ tests have it.
export TSAN_OPTIONS=$TSAN_OPTIONS:detect_deadlocks=0:suppressions=$build/suppressions
# The threads of pyarrow and of scikit-learn (OpenMP) are not instrumented: what they hand over looks unprotected.
printf "race:libarrow\nrace:libparquet\nrace:sklearn\n" > "$build/suppressions"
preload=$(for name in $libraries libstdc++.so; do "${CXX:-g++}" -print-file-name=$name; done | tr '\n' ' ')
LD_PRELOAD=$preload python -c 'import drr; print("under test:", drr.__file__)'
LD_PRELOAD=$preload python -m pytest -q -p no:cacheprovider -p no:faulthandler "${tests[@]}"
