import type { MetricName } from '../../metrics/index.ts';
import { offlineLoad } from '../../subjects/load.ts';
import {
  noFacts,
  noScenario,
  type ParsedResult,
  type Repeats,
  type ScenarioFacts,
  type SystemFacts,
} from '../adapter.ts';
import type { Arguments } from '../reading/context/run-context.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { sampleSd } from '../reading/figures/samples.ts';
import { toSystem } from './arguments.ts';
import { loadUnknown } from './serving.ts';

type Lines = ParsedResult['lines'];

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The program runs the engine itself. Throughput can also use other engines, which `--backend` states. */
function systemOf(given: Arguments | null): SystemFacts {
  const backend = given?.text('backend') ?? 'vllm';
  const system = given === null ? noFacts : toSystem(given, 'context');
  return { ...system, engine: /^vllm(?:-chat)?$/.test(backend) ? { value: 'vllm', origin: 'inferred' } : null };
}

function lengthsOf(given: Arguments | null): Pick<ScenarioFacts, 'inputTokens' | 'outputTokens'> {
  const [input, output] = [whole(given?.number('input_len') ?? null), whole(given?.number('output_len') ?? null)];
  return {
    inputTokens: input === null ? null : { value: input, origin: 'context' },
    outputTokens: output === null ? null : { value: output, origin: 'context' },
  };
}

const common = { kind: 'serving', repetition: null, requests: null, limits: null, measuredAt: null } as const;

/** Figures of `vllm bench latency`, in seconds. Every latency is that of one whole batch. */
export interface LatencyFigures {
  meanS: number;
  /** Seconds by percentile: "10", "99". */
  percentiles: [string, number][];
  /** Null if only statistics are reported. */
  latenciesS: readonly number[] | null;
}

/** The batches as repetitions, with their sample standard deviation. */
function toRepeats(latenciesS: readonly number[] | null, asked: number | null): Repeats | null {
  if (latenciesS === null) return asked === null ? null : { n: asked, sd: {}, samples: null };
  const samples = latenciesS.map((value) => shiftDecimal(value, 3));
  const n = samples.length;
  return { n, sd: n > 1 ? { e2e_ms_mean: sampleSd(samples) } : {}, samples: { e2e_ms_mean: samples } };
}

/**
 * A result of `vllm bench latency`. Only its command line states the batch size and the lengths. Without them there is
 * neither a load nor a rate, and the program's defaults are not assumed.
 */
export function toLatencyResult(figures: LatencyFigures, given: Arguments | null, lines: Lines): ParsedResult {
  const metrics: Partial<Record<MetricName, number>> = { e2e_ms_mean: shiftDecimal(figures.meanS, 3) };
  const extra: ParsedResult['extra'] = {};
  for (const [percentile, seconds] of figures.percentiles) {
    const value = latencyName('e2e_ms', `p${percentile}`);
    if (value.kind === 'metric') metrics[value.name] = shiftDecimal(seconds, 3);
    else extra[value.name] = shiftDecimal(seconds, 3);
  }
  const batch = whole(given?.number('batch_size') ?? null);
  const lengths = lengthsOf(given);
  const output = lengths.outputTokens?.value ?? null;
  if (batch !== null && output !== null) metrics.output_tok_s = (batch * output) / figures.meanS;
  const message = 'The batch size is in the command line of the program, which is missing here.';
  return {
    ...common,
    system: systemOf(given),
    scenario: { ...noScenario, ...lengths },
    load: batch === null ? offlineLoad : { mode: 'batch', level: batch },
    metrics,
    definitions: { e2e_ms: 'whole_batch' },
    repeats: toRepeats(figures.latenciesS, whole(given?.number('num_iters') ?? null)),
    extra,
    notes: batch === null ? [loadUnknown({}, message)] : [],
    lines,
  };
}

/** Figures of `vllm bench throughput`. Its tokens per second count prompts and responses together. */
export interface ThroughputFigures {
  elapsedS: number | null;
  requests: number | null;
  requestsPerS: number | null;
  totalTokens: number | null;
  totalPerS: number | null;
  outputPerS: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
}

/** A result of `vllm bench throughput`, which queues all requests at once inside the program. */
export function toThroughputResult(figures: ThroughputFigures, given: Arguments | null, lines: Lines): ParsedResult {
  const requests = figures.requests ?? whole(given?.number('num_prompts') ?? null);
  const metrics: [MetricName, number | null][] = [
    ['requests_ok', requests],
    ['duration_s', figures.elapsedS],
    ['input_tokens', figures.inputTokens],
    ['output_tokens', figures.outputTokens],
    ['req_s', figures.requestsPerS],
    ['output_tok_s', figures.outputPerS],
    ['total_tok_s', figures.totalPerS],
  ];
  const dataset = given?.text('dataset_name') ?? null;
  const message = 'The number of requests is in the command line of the program, which is missing here.';
  return {
    ...common,
    system: systemOf(given),
    scenario: {
      ...noScenario,
      ...(dataset === null || dataset === 'random' ? lengthsOf(given) : {}),
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
    },
    load: requests === null ? offlineLoad : { mode: 'burst', level: requests, regime: 'offline' },
    metrics: Object.fromEntries(metrics.filter(([, value]) => value !== null)),
    definitions: {},
    repeats: null,
    extra: figures.totalTokens === null ? {} : { total_tokens: figures.totalTokens },
    notes: requests === null ? [loadUnknown({}, message)] : [],
    lines,
  };
}
