const base = 'http://localhost:8787';
const systemId = 'sys_3f1c5a0b9d8e7f6a5b4c3d2e';
const olderId = 'sys_9d8e7f6a5b4c3d2e3f1c5a0b';
const linksOf = (id: string) => ({ self: `${base}/v1/systems/${id}`, page: `${base}/systems/${id}` });

export const systemExample = {
  id: systemId,
  label: 'Llama 3.1 8B · FP8 · H100 SXM · vLLM 0.11.0',
  model: { id: 'llama-3.1-8b', name: 'llama-3.1-8b', family: 'llama-3.1', title: 'Llama 3.1 8B' },
  quantization: { id: 'fp8', name: 'FP8', recipe: [], title: 'FP8' },
  gpu: { id: 'h100-sxm', name: 'NVIDIA H100 80GB HBM3', family: 'h100', title: 'H100 SXM' },
  gpu_count: 1,
  gpu_power_limit_w: null,
  engine: { id: 'vllm', name: 'vLLM', version: '0.11.0', title: 'vLLM 0.11.0' },
  parallelism: { tensor: 1, pipeline: null, data: null, expert: null },
  features: {},
  links: linksOf(systemId),
};
export const scenarioExample = {
  id: 'chatbot',
  input_tokens: 1024,
  output_tokens: 256,
  dataset: null,
  depth: null,
  kernel: null,
};
export const workloadExample = {
  id: 'chatbot-steady',
  regime: 'steady' as const,
  input_tokens: 1024,
  output_tokens: 256,
  dataset: null,
  depth: null,
};
export const loadExample = { mode: 'concurrency' as const, level: 8, burstiness: null, max_concurrency: null };
export const newSideExample = {
  system_id: systemId,
  engine_version: '0.11.0',
  n: 5,
  mean: 902.1,
  sd: 8.4,
  ci95: [891.7, 912.5] as [number, number],
  results: 5,
};
export const oldSideExample = {
  system_id: olderId,
  engine_version: '0.10.2',
  n: 5,
  mean: 981.6,
  sd: 6.2,
  ci95: [973.9, 989.3] as [number, number],
  results: 5,
};

const valueExample = {
  month: null,
  result_id: null,
  submission_id: null,
  definition: null,
  trust: 'self_reported' as const,
};

/** Made-up data, as the identifiers show. */
export const historyExample = {
  system: systemExample,
  metric: 'output_tok_s_per_gpu',
  unit: 'tok/s',
  better: 'higher' as const,
  by: 'version' as const,
  versions: [
    {
      system_id: olderId,
      engine_version: '0.10.2',
      created_at: '2026-09-14T08:00:00.000Z',
      links: linksOf(olderId),
    },
    {
      system_id: systemId,
      engine_version: '0.11.0',
      created_at: '2026-10-05T08:00:00.000Z',
      links: linksOf(systemId),
    },
  ],
  data: [
    {
      kind: 'serving' as const,
      scenario: scenarioExample,
      workload: workloadExample,
      load: loadExample,
      definition: null,
      values: [
        {
          ...oldSideExample,
          ...valueExample,
          at: '2026-09-14T07:31:00.000Z',
          at_is: 'measured' as const,
          measured_at: '2026-09-14T07:31:00.000Z',
          created_at: '2026-09-14T08:00:00.000Z',
        },
        {
          ...newSideExample,
          ...valueExample,
          at: '2026-10-05T08:00:00.000Z',
          at_is: 'stored' as const,
          measured_at: null,
          created_at: '2026-10-05T08:00:00.000Z',
        },
      ],
      truncated: false,
    },
  ],
  next_cursor: null,
};
