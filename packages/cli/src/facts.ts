/** Facts about a file, by the names of the API parameters. Each is a flag of `submit`. */
export const facts = {
  model: 'name of the model',
  quantization: 'weight format, such as bf16, fp8, Q4_K_M',
  gpu: 'GPU by name, such as h100-sxm',
  gpu_count: 'number of GPUs',
  gpu_power_limit_w: 'power limit of each GPU in watts',
  engine: 'serving software, such as vllm, sglang, llama.cpp',
  engine_version: 'its version',
  tensor_parallel: 'tensor-parallel width',
  load_mode: 'concurrency, burst, rate or batch; with --load-level',
  load_level: 'requests in flight, at once or per second, or the batch size',
  scenario: 'named workload, such as chatbot',
  input_tokens: 'prompt tokens of a request',
  output_tokens: 'generated tokens of a request',
  dataset: 'data set of the prompts',
  tool: 'tool that wrote the file, if it is not recognised',
  unit: 'unit of the figures, if the tool does not print it',
  notes: 'additional information for readers; public',
  source_url: 'where the file was published',
  measured_at: 'when it was measured, such as 2026-11-23T18:00:00Z',
} as const;

export type Fact = keyof typeof facts;
export type Facts = Partial<Record<Fact, string>>;

export const isFact = (name: string): name is Fact => Object.hasOwn(facts, name);

/** `gpu_count` as a flag: "gpu-count". */
export const flagOf = (fact: string): string => fact.replaceAll('_', '-');
