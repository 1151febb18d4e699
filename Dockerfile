# sortlab in a container:
#
#   docker build -t sortlab .
#   docker run --rm -v "$PWD/results/local:/sortlab/results/local" sortlab bench
#
# With the GPU sorts: docker build --build-arg CUDA=1 (and --build-arg CUDAARCHS=80 for other GPUs than
# sm_90), then docker run --gpus all. BASE may be any Debian 12 or Ubuntu 24.04.
ARG BASE=debian:12
FROM ${BASE}
ARG CUDA
ARG CUDAARCHS
WORKDIR /sortlab
COPY . .
RUN ./run ${CUDA:+--cuda} build release sortlab && .venv/bin/pip install --no-cache-dir -r plots/requirements.txt
ENTRYPOINT ["./run"]
CMD ["bench"]
