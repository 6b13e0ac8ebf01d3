/** A grid of four models as native artifacts, with synthetic values for page tests. */

const models = [
  ['meta-llama/Llama-3.1-8B-Instruct', 'bf16', 1],
  ['mistralai/Mistral-Small-3.1-24B-Instruct-2503', 'bf16', 2.6],
  ['openai/gpt-oss-120b', 'mxfp4', 1.7],
  ['meta-llama/Llama-3.3-70B-Instruct', 'int4', 4.1],
] as const;

const scenarios = [
  ['random-1500-250', 2600],
  ['random-4000-1000', 11800],
  ['random-1000-1000', 9900],
  ['sharegpt', 3100],
  ['edit-10k', 14200],
  ['numina-math', 12400],
] as const;

const loads = [
  [{ mode: 'rate', level: 100, burstiness: 1 }, 6.5],
  [{ mode: 'rate', level: 50, burstiness: 1 }, 3.2],
  [{ mode: 'concurrency', level: 1 }, 1],
] as const;

const scatter = [-0.011, 0.004, 0.009];

/** Mean and p99 E2E latency by model, scenario and load, ms, with three repetitions; one artifact for each model. */
export function servingGrid(): { model: string; body: string; e2e: Record<string, number> }[] {
  return models.map(([model, quantization, slowness]) => {
    const e2e: Record<string, number> = {};
    const results = scenarios.flatMap(([scenario, base]) =>
      loads.flatMap(([load, crowding]) =>
        scatter.map((off, at) => {
          const mean = Number((base * slowness * crowding * (1 + off)).toFixed(2));
          e2e[`${scenario} ${load.mode} ${load.level} ${at}`] = mean;
          return {
            scenario,
            load,
            repetition: at + 1,
            metrics: { e2e_ms_mean: mean, e2e_ms_p99: Number((mean * 1.9).toFixed(2)) },
          };
        }),
      ),
    );
    const system = { model, quantization, gpu: 'rtx-pro-6000', gpu_count: 1, engine: 'vllm' };
    return { model, body: JSON.stringify({ schema: 'inferboard/v1', system, results }), e2e };
  });
}

async function submit(url: string, key: string, body: string): Promise<string> {
  const response = await fetch(`${url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status} ${text}`);
  const { results } = JSON.parse(text) as { results: { system: { id: string } }[] };
  return results[0]?.system.id ?? '';
}

/** Submits the grid through the API. */
export async function submitServingGrid(url: string, key: string): Promise<void> {
  for (const { body } of servingGrid()) await submit(url, key, body);
}

/** Two engines at the same five loads, three runs each, for overlay charts. Returns the systems' ids. */
export async function submitLoadSeries(url: string, key: string): Promise<string[]> {
  const engines = [
    ['vllm', 1],
    ['sglang', 0.8],
  ] as const;
  const ids: string[] = [];
  for (const [engine, slowness] of engines) {
    const results = [1, 2, 4, 8, 16].flatMap((level) =>
      scatter.map((off, at) => ({
        scenario: 'chatbot',
        load: { mode: 'concurrency', level },
        repetition: at + 1,
        metrics: {
          ttft_ms_mean: Number((80 * slowness * level ** 0.9 * (1 + off)).toFixed(2)),
          tpot_ms_mean: Number((12 * slowness * (1 + level / 10) * (1 + off)).toFixed(3)),
        },
      })),
    );
    const system = { model: 'Qwen/Qwen3-8B', quantization: 'bf16', gpu: 'H100 SXM', gpu_count: 1, engine };
    ids.push(await submit(url, key, JSON.stringify({ schema: 'inferboard/v1', system, results })));
  }
  return ids;
}
