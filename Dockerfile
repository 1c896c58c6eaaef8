# tilesmith in a container: `docker compose run --rm demo`, `tests`, or `up dashboard`.
FROM python:3.11-slim-bookworm AS base
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ make git \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /tilesmith

# What is needed changes less often than the source: it is a layer of its own.
FROM base AS requirements
COPY pyproject.toml constraints.txt hatch_build.py README.md LICENSE NOTICE ./
COPY src/tilesmith/version.py src/tilesmith/version.py
COPY scripts/requirements scripts/requirements
RUN python scripts/requirements dev torch tilelang zoo > /requirements.txt \
    && pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu -r /requirements.txt -c constraints.txt

FROM requirements AS tilesmith
COPY . .
RUN pip install --no-cache-dir --no-deps -e . \
    && useradd --create-home smith && chown -R smith /tilesmith
USER smith
ENV TILESMITH_CACHE_DIR=/home/smith/kernels
RUN tilesmith --version
CMD ["python", "examples/demo.py"]
