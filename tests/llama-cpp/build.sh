#!/usr/bin/env bash
# Builds llama-server from a checkout of llama.cpp and prints its path: bash tests/llama-cpp/build.sh CHECKOUT
# Needs cmake and a C++ compiler. Takes 5 to 10 minutes on two cores.
set -euo pipefail
source=$1
cmake -S "$source" -B "$source/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
  -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF >&2
cmake --build "$source/build" --target llama-server -j "$(nproc)" >&2
echo "$source/build/bin/llama-server"
