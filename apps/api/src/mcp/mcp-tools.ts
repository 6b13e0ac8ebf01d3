import { z } from 'zod';

/** An API operation as a tool for agents: its arguments and the URL they map to. */
export interface AgentTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** The operation behind the tool; the tool returns its response. */
  operationId: string;
  /** Builds path and query of the operation. */
  toPath(input: Record<string, unknown>): string;
}

const notValue = 'must be a string, a number, true or false, or a list of them';
const value = z.union([z.string(), z.number(), z.boolean()], notValue);
const parameters = z
  .record(z.string(), z.union([value, z.array(value)], notValue))
  .optional()
  .describe(
    'Filters by the names of the query parameters: model, quantization, gpu, gpu_count, engine, workload, regime, load_mode, load_level, trust, min_<metric>, max_<metric> ... A list means any of its values.',
  );

/** A parameter replaces the argument of the same name, which may be a default. */
function toQuery(...sources: unknown[]): string {
  const query = new URLSearchParams();
  for (const source of sources) {
    for (const [name, given] of Object.entries((source ?? {}) as Record<string, unknown>)) {
      if (given === undefined || given === null) continue;
      query.delete(name);
      for (const one of [given].flat()) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

const full = z
  .boolean()
  .default(false)
  .describe('All data of each entry: all metrics, statistics, runs and evidence. About five times as long.');

const cursor = z.string().optional().describe('next_cursor of the previous page.');

const metric = (whenAbsent: string) =>
  z.string().optional().describe(`Metric, such as output_tok_s_per_gpu or ttft_ms_p99; ${whenAbsent}.`);

const limit = z.number().int().min(1).max(50).default(10).describe('Maximum number of entries.');

export const agentTools: readonly AgentTool[] = [
  {
    name: 'best_config',
    operationId: 'getBest',
    title: 'Best configuration',
    description:
      'The best model, GPU, quantization, engine or system under constraints. Ask in words ("best model under 20ms ITL on H100") or omit the question and give parameters. The answer states how each phrase was interpreted, and which workload, metric and definition were chosen and why, with the alternatives. Unknown words are rejected by name.',
    input: z.strictObject({
      question: z.string().max(500).optional().describe('The question in English words.'),
      parameters: parameters.describe(
        'subject (model, gpu, quantization, engine, system), rank_by, order, limit, definition, and filters; for cost prices=h100=2.10,mi300x=1.80 (your prices of GPUs), price_tier or gpu_usd_per_hour (one price for all), else a dated list is used; with a question, only filters that it does not name.',
      ),
      full,
    }),
    toPath: ({ question, full: isFull, parameters: given }) =>
      `/v1/best${toQuery({ q: question, full: isFull || null }, given)}`,
  },
  {
    name: 'leaderboard',
    operationId: 'getLeaderboard',
    title: 'Leaderboard',
    description:
      'Each system at its best point of one workload under the constraints, ranked by a metric; systems whose 95 % intervals overlap share a rank. The answer names the workload, the metric and the definition with the alternatives.',
    input: z.strictObject({
      rank_by: z
        .string()
        .optional()
        .describe(
          'Metric, such as output_tok_s_per_gpu or ttft_ms_p99, or usd_per_mtok_output for cost; by default the metric that most of the systems have.',
        ),
      parameters,
      limit,
      full,
    }),
    toPath: ({ rank_by, parameters: given, limit: most, full: isFull }) =>
      `/v1/leaderboard${toQuery({ rank_by, limit: most, full: isFull || null }, given)}`,
  },
  {
    name: 'search_results',
    operationId: 'listResults',
    title: 'Search results',
    description: 'Single benchmark results that meet the filters, newest first, each with its findings and its source.',
    input: z.strictObject({ parameters, limit, full, cursor }),
    toPath: ({ parameters: given, limit: most, full: isFull, cursor }) =>
      `/v1/results${toQuery({ limit: most, full: isFull || null, cursor }, given)}`,
  },
  {
    name: 'get_system',
    operationId: 'getSystem',
    title: 'One system',
    description: 'A system with all its measured points, by its id (sys_...).',
    input: z.strictObject({ id: z.string() }),
    toPath: ({ id }) => `/v1/systems/${encodeURIComponent(String(id))}`,
  },
  {
    name: 'get_submission',
    operationId: 'getSubmission',
    title: 'One submission',
    description:
      'A submission with its results, the passed checks and the findings, by its id (sub_...). A large submission has counts instead of results, unless full is true.',
    input: z.strictObject({ id: z.string(), full }),
    toPath: ({ id, full: isFull }) =>
      `/v1/submissions/${encodeURIComponent(String(id))}${toQuery({ full: isFull || null })}`,
  },
  {
    name: 'compare',
    operationId: 'compareSystems',
    title: 'Compare systems',
    description:
      'Compare two to six systems side by side: the facts that differ, then every metric with its ratio to the first system, interval and significance.',
    input: z.strictObject({
      systems: z.array(z.string()).min(2).max(6).describe('Ids of systems (sys_...).'),
      parameters,
      full,
    }),
    toPath: ({ systems, full: isFull, parameters: given }) =>
      `/v1/compare${toQuery({ system: systems, full: isFull || null }, given)}`,
  },
  {
    name: 'pareto',
    operationId: 'getPareto',
    title: 'Pareto frontier',
    description:
      'The points of one workload by two metrics, and the frontier: the points that no other point beats on both. By default this is the trade-off between speed for one user and throughput. Use frontier_of for the frontier of each GPU, model, quantization or engine.',
    input: z.strictObject({
      x: metric('user_tok_s by default'),
      y: metric('output_tok_s_per_gpu by default'),
      frontier_of: z.string().optional().describe('gpu, model, quantization or engine: only the frontier of each.'),
      parameters,
      full,
    }),
    toPath: ({ x, y, frontier_of, full: isFull, parameters: given }) =>
      `/v1/pareto${toQuery({ x, y, frontier_of, full: isFull || null }, given)}`,
  },
  {
    name: 'matrix',
    operationId: 'getMatrix',
    title: 'Matrix',
    description:
      'One metric in a table of two facts, such as models by GPUs: each cell is the best system of that pair in one workload.',
    input: z.strictObject({
      rows: z.string().optional().describe('model (default), gpu, quantization, engine ...'),
      columns: z.string().optional().describe('gpu (default), model, quantization, engine ...'),
      metric: metric('by default the metric that most of the systems have'),
      parameters,
      full,
    }),
    toPath: ({ rows, columns, metric: by, full: isFull, parameters: given }) =>
      `/v1/matrix${toQuery({ rows, columns, metric: by, full: isFull || null }, given)}`,
  },
  {
    name: 'history',
    operationId: 'getHistory',
    title: 'History of a system',
    description: 'A metric of a system over engine versions or time, with intervals.',
    input: z.strictObject({
      system: z.string().describe('Id of a system (sys_...).'),
      metric: metric('output_tok_s_per_gpu by default'),
      parameters: parameters.describe('by, and filters by the names of the query parameters.'),
      limit,
      cursor,
    }),
    toPath: ({ system, metric: by, limit: most, cursor: after, parameters: given }) =>
      `/v1/history${toQuery({ system, metric: by, limit: most, cursor: after }, given)}`,
  },
  {
    name: 'changes',
    operationId: 'listChanges',
    title: 'Changes',
    description:
      'Regressions and new bests, newest first: each with its verdict (regression, improvement, stable, insufficient_data), effect and interval.',
    input: z.strictObject({
      parameters: parameters.describe(
        'metric, verdict, type, system, and filters by the names of the query parameters.',
      ),
      limit,
      cursor,
    }),
    toPath: ({ limit: most, cursor: after, parameters: given }) =>
      `/v1/changes${toQuery({ limit: most, cursor: after }, given)}`,
  },
  {
    name: 'report',
    operationId: 'getSystemReport',
    title: 'Report on a system',
    description:
      'The inference report of one system: headline figures, series over load, scaling efficiency, the longest safe queue at a TTFT limit, and findings in sentences.',
    input: z.strictObject({
      id: z.string().describe('Id of a system (sys_...).'),
      ttft_limit_s: z.number().optional().describe('TTFT limit of the safe queue in seconds; 3 by default.'),
    }),
    toPath: ({ id, ttft_limit_s }) =>
      `/v1/systems/${encodeURIComponent(String(id))}/report${toQuery({ ttft_limit_s })}`,
  },
  {
    name: 'search',
    operationId: 'searchAll',
    title: 'Search names',
    description:
      'Models, GPUs, quantizations, engines, systems, accounts and submissions by id, name, alias or words. Use it to find the id that another tool needs.',
    input: z.strictObject({ q: z.string().describe('What to find, such as "llama h100".') }),
    toPath: ({ q }) => `/v1/search${toQuery({ q })}`,
  },
];
