# The bot with everything it needs inside: code, libraries, embedding model, reader of rules.
#   docker build -t adpolicy:local .
#   docker run --rm -p 127.0.0.1:3000:3000 -v adpolicy:/data --read-only --tmpfs /tmp --stop-timeout 45 adpolicy:local
# Arguments are a module and its own: `docker run --rm adpolicy:local ops new-key`.
# --build-arg LLAMA=yes compiles llama.cpp for a language model in the process (ops/docs/models.md): some minutes.
# The base is pinned by content; another: --build-arg PYTHON_IMAGE=..., as `docker buildx imagetools inspect` prints it.
ARG PYTHON_IMAGE=python:3.11.15-slim-bookworm@sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3

FROM ${PYTHON_IMAGE} AS build
ARG LLAMA=no
WORKDIR /opt/adpolicy
# The cache is another file system: nothing can be linked from it.
ENV UV_LINK_MODE=copy
# Nothing of it gets into the image.
# hadolint ignore=DL3008
RUN if [ "$LLAMA" = yes ]; then \
      apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*; \
    fi
COPY ops/setup.sh ops/setup.sh
COPY ops/requirements ops/requirements
COPY ops/deploy/install.sh ops/deploy/install.sh
RUN --mount=type=cache,target=/root/.cache ops/deploy/install.sh requirements
COPY LICENSE ./
COPY rag_core rag_core
COPY bot bot
COPY ingest ingest
COPY adapters adapters
COPY ops ops
RUN ops/deploy/install.sh code

FROM ${PYTHON_IMAGE}
ARG PYTHON_IMAGE
ARG VERSION=local
ARG REVISION=unknown
LABEL org.opencontainers.image.title="adpolicy" \
      org.opencontainers.image.description="Answers advertising-policy questions from the policy documents it is given" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${PYTHON_IMAGE}"
# git: for sources that are git histories; libgomp1: llama.cpp's threads. It is all that is installed from the
# distribution, which keeps only the newest security fix of a version: a pinned one could not be installed any more
# after the next.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git libgomp1 \
    && rm -rf /var/lib/apt/lists/*
RUN python -m pip uninstall --quiet --yes --root-user-action ignore setuptools wheel pip \
    && groupadd --gid 10001 adpolicy \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin adpolicy \
    && install --directory --owner adpolicy --group adpolicy --mode 0700 /data
COPY --from=build /opt/adpolicy /opt/adpolicy
WORKDIR /opt/adpolicy
# ONNX Runtime would report to its maker.
ENV ORT_DISABLE_TELEMETRY=1 \
    PATH=/opt/adpolicy/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    ADPOLICY_DATA_DIR=/data \
    ADPOLICY_CHAT_BIND=0.0.0.0:3000 \
    ADPOLICY_LOG_FORMAT=json
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME ["/data"]
EXPOSE 3000
# Finishes what is being answered, for up to 30 seconds: give a stop at least 45.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 CMD ["python", "-m", "ops.deploy.probe"]
ENTRYPOINT ["python", "-m"]
CMD ["ops.start"]
