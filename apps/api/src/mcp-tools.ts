import { z } from 'zod';

/** One question of the API as a tool for agents: what it takes, and the address that it becomes. */
export interface AgentTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodRawShape;
  /** Path and query of the GET that answers it. */
  toPath(input: Record<string, unknown>): string;
}

const value = z.union([z.string(), z.number()]);
const parameters = z
  .record(z.string(), z.union([value, z.array(value)]))
  .optional()
  .describe(
    'Filters by the names of the query parameters: model, quantization, gpu, gpu_count, engine, workload, regime, load_mode, load_level, trust, min_<metric>, max_<metric> ... A list means any of its values.',
  );

function toQuery(...sources: unknown[]): string {
  const query = new URLSearchParams();
  for (const source of sources) {
    for (const [name, given] of Object.entries((source ?? {}) as Record<string, unknown>)) {
      if (given === undefined || given === null) continue;
      for (const one of [given].flat()) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

const full = z
  .boolean()
  .default(false)
  .describe('Everything there is of each entry: all metrics, statistics, runs and evidence. Five times as long.');

const limit = z.number().int().min(1).max(50).default(10).describe('Entries at most.');

export const agentTools: readonly AgentTool[] = [
  {
    name: 'best_config',
    title: 'Best configuration',
    description:
      'The best model, GPU, quantization, engine or system under constraints. Ask in words ("best model under 20ms ITL on H100") or leave the question away and give parameters. The answer says how each phrase was read, and which workload, metric and definition were chosen and why, with the alternatives; words that cannot be placed are refused by name.',
    input: {
      question: z.string().max(500).optional().describe('The question in English words.'),
      parameters: parameters.describe(
        'subject (model, gpu, quantization, engine, system), rank_by, order, limit, definition, and filters; for cost prices=h100=2.10,mi300x=1.80 (your prices of GPUs), price_tier or gpu_usd_per_hour (one price for all), else a dated list is used; beside a question only filters that it does not name.',
      ),
      full,
    },
    toPath: ({ question, full: isFull, parameters: given }) =>
      `/v1/best${toQuery({ q: question, full: isFull || null }, given)}`,
  },
  {
    name: 'leaderboard',
    title: 'Leaderboard',
    description:
      'Each system at its best point of one workload under the constraints, ranked by a metric; systems whose 95 % intervals overlap share a rank. The answer names the workload, the metric and the definition with the alternatives.',
    input: {
      rank_by: z
        .string()
        .optional()
        .describe(
          'Metric, such as output_tok_s_per_gpu or ttft_ms_p99, or usd_per_mtok_output for cost; by default what most of the systems have.',
        ),
      parameters,
      limit,
      full,
    },
    toPath: ({ rank_by, parameters: given, limit: most, full: isFull }) =>
      `/v1/leaderboard${toQuery({ rank_by, limit: most, full: isFull || null }, given)}`,
  },
  {
    name: 'search_results',
    title: 'Search results',
    description:
      'Single benchmark results that meet the filters, newest first, each with its findings and where it came from.',
    input: { parameters, limit, full, cursor: z.string().optional().describe('next_cursor of the page before.') },
    toPath: ({ parameters: given, limit: most, full: isFull, cursor }) =>
      `/v1/results${toQuery({ limit: most, full: isFull || null, cursor }, given)}`,
  },
  {
    name: 'get_system',
    title: 'One system',
    description: 'A system with all its measured points, by its id (sys_...).',
    input: { id: z.string() },
    toPath: ({ id }) => `/v1/systems/${encodeURIComponent(String(id))}`,
  },
  {
    name: 'get_submission',
    title: 'One submission',
    description:
      'A submission with its results, the checks they passed and the doubts about them, by its id (sub_...). A large one has counts in the place of its results, unless full is true.',
    input: { id: z.string(), full },
    toPath: ({ id, full: isFull }) =>
      `/v1/submissions/${encodeURIComponent(String(id))}${toQuery({ full: isFull || null })}`,
  },
  {
    name: 'compare',
    title: 'Compare systems',
    description:
      'Two to six systems side by side: what differs, then every figure with its ratio to the first, interval and significance.',
    input: { systems: z.array(z.string()).min(2).max(6).describe('Ids of systems (sys_...).'), parameters, full },
    toPath: ({ systems, full: isFull, parameters: given }) =>
      `/v1/compare${toQuery({ system: systems, full: isFull || null }, given)}`,
  },
];
