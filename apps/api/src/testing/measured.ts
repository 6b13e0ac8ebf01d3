import type { TestApp } from './index.ts';

/** Repetitions of one point; every fact has a default. */
export interface MeasuredPoint {
  values: number[];
  version?: string;
  gpu?: string;
  level?: number;
  metric?: string;
  scenario?: string;
  power?: number;
  definitions?: Record<string, string>;
}

/** Submits points of one system in order as native results; returns the response to the first. */
export async function submitMeasured(
  app: TestApp,
  key: string,
  points: readonly MeasuredPoint[],
  parameters: Record<string, string> = {},
): Promise<{ submission: string; systems: string[]; results: string[] }> {
  const lines = points.flatMap(({ values, level = 8, metric = 'output_tok_s', scenario = 'chatbot', ...facts }) => {
    const { version = '0.11.0', gpu = 'h100-sxm', power, definitions } = facts;
    const system = {
      model: 'llama-3.1-8b',
      quantization: 'fp8',
      gpu,
      gpu_count: 1,
      ...(power === undefined ? {} : { gpu_power_limit_w: power }),
      engine: { name: 'vllm', version },
    };
    const results = values.map((value) => ({
      load: { mode: 'concurrency', level },
      metrics: { [metric]: value },
      ...(definitions === undefined ? {} : { definitions }),
    }));
    return JSON.stringify({ schema: 'inferboard/v1', system, scenario, results });
  });
  const response = await app.submit(lines.join('\n'), { ...parameters, full: 'true' }, key);
  if (response.status !== 201) throw new Error(await response.text());
  const { id, results } = (await response.json()) as { id: string; results: { id: string; system: { id: string } }[] };
  return {
    submission: id,
    systems: results.map(({ system }) => system.id),
    results: results.map((result) => result.id),
  };
}
