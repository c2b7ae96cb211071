#!/usr/bin/env bash
# The core compiled for systems that are not at hand, and its C++ tests run where an emulator is:
#
#   tools/cross.sh windows   mingw-w64 and wine (Debian: g++-mingw-w64-x86-64-posix wine64): compiled and run
#   tools/cross.sh macos     zig (pip install ziglang), for arm64 and x86_64: the core compiled, nothing run
#   tools/cross.sh s390x     g++-s390x-linux-gnu and qemu-user-static: a big-endian processor: compiled and run
#   tools/cross.sh armhf     g++-arm-linux-gnueabihf and qemu-user-static: 32-bit sizes: compiled and run
#
# Builds stay in build/cross. The header doctest is taken from /usr/include, Eigen from the package cmeel-eigen.
set -euo pipefail
cd "$(dirname "$0")/.."
system=${1:?windows, macos, s390x or armhf}
folder=$PWD/build/cross/$system
mkdir -p "$folder/include"
ln -sfn /usr/include/doctest "$folder/include/doctest"

describe() { # name, C++ compiler, archiver, system, processor family, endianness, program that runs the others
  cat > "$folder/$1.ini" <<EOF
[binaries]
cpp = [$2]
ar = [$3]
${7:+exe_wrapper = [$7]}
[built-in options]
cpp_args = ['-I$folder/include']
[properties]
needs_exe_wrapper = true
[host_machine]
system = '$4'
cpu_family = '$5'
cpu = '$5'
endian = '$6'
EOF
}

build() { # name, further settings
  local name=$1
  shift
  [ -d "$folder/$name" ] || meson setup "$folder/$name" --cross-file "$folder/$name.ini" -Dpython=false -Dcore_tests=true "$@"
  meson compile -C "$folder/$name"
}

case $system in
  windows)
    # Linked statically: the tests need no library of the compiler.
    describe x86_64 "'x86_64-w64-mingw32-g++-posix', '-static'" "'x86_64-w64-mingw32-ar'" windows x86_64 little "'wine'"
    build x86_64 -Dx86_64_v2=true -Dx86_64_v4=false
    WINEDEBUG=-all meson test -C "$folder/x86_64" --print-errorlogs --timeout-multiplier 10
    ;;
  macos)
    zig=$(python -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
    for processor in aarch64 x86_64; do
      describe $processor "'$folder/$processor-c++'" "'$zig', 'ar'" darwin $processor little ''
      cat > "$folder/$processor-c++" <<EOF
#!/usr/bin/env bash
# zig spells the levels of x86-64 with underscores, as processors.
exec $zig c++ -target $processor-macos "\${@/-march=x86-64-/-mcpu=x86_64_}"
EOF
      chmod +x "$folder/$processor-c++"
      build $processor -Dcore_tests=false
      ls "$folder/$processor/src/cpp/"libdrr_core_*.a
    done
    ;;
  s390x)
    describe s390x "'s390x-linux-gnu-g++', '-static'" "'s390x-linux-gnu-ar'" linux s390x big "'qemu-s390x-static'"
    build s390x
    qemu-s390x-static "$folder/s390x/tests/cpp/core_test_generic"
    ;;
  armhf)
    describe arm "'arm-linux-gnueabihf-g++', '-static'" "'arm-linux-gnueabihf-ar'" linux arm little "'qemu-arm-static'"
    build arm
    qemu-arm-static "$folder/arm/tests/cpp/core_test_generic"
    ;;
  *) echo "unknown system $system" >&2 && exit 2 ;;
esac
