import type { Metrics } from '../adapters/adapter.ts';
import type { MetricName } from '../metrics/index.ts';
import type { Result } from '../subjects/result.ts';
import { makeSystem, type SystemWords } from './result.ts';
import type { Wish } from './simulate.ts';

/** One falsified fact of a result, and the fields needed to detect it. */
export interface Lie {
  kind: string;
  /** Runs with the fields that reveal the falsification. */
  where: Wish;
  needs: readonly MetricName[];
  apply(result: Result): Result;
}

/** Three digits distinguish 1 s from 1.3 s; a run printed as "1 s" could be either. */
const style = { percentiles: 'linear', sd: 'sample', digits: 3 } as const;
const complete = { complete: true, draftTokens: 0, mode: 'concurrency', level: 8, style } as const;
const equalLengths = { inputTokens: 1024, outputTokens: 48, varied: false };
const long = { ...complete, workload: equalLengths };

function withMetrics(result: Result, change: (metrics: Metrics) => Metrics): Result {
  return { ...result, metrics: { ...result.metrics, ...change(result.metrics) } };
}

/** Multiplies a figure and keeps its number of digits. */
function times(name: MetricName, factor: number): Lie['apply'] {
  return (result) =>
    withMetrics(result, (metrics) => {
      const value = metrics[name];
      if (value === undefined) return {};
      const digits = String(value).split('.')[1]?.length ?? 0;
      return { [name]: Number((value * factor).toFixed(Math.min(digits, 12))) };
    });
}

function swapped(a: MetricName, b: MetricName): Lie['apply'] {
  return (result) => withMetrics(result, (metrics) => ({ [a]: metrics[b], [b]: metrics[a] }));
}

function onAnother(words: SystemWords): Lie['apply'] {
  return (result) => {
    const { model, quantization, gpu } = makeSystem(words);
    const { system } = result;
    return {
      ...result,
      system: {
        ...system,
        model: words.model === undefined ? system.model : model,
        quantization: words.quantization === undefined ? system.quantization : quantization,
        gpu: words.gpu === undefined ? system.gpu : gpu,
        ...(words.gpuCount === undefined ? {} : { gpuCount: words.gpuCount }),
        ...(words.parallelism === undefined ? {} : { parallelism: words.parallelism }),
      },
    };
  };
}

const small = { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', gpuCount: 1 };
const quick = { ...complete, workload: equalLengths, efficiency: 0.7, machine: small };
const oneUser = { ...quick, level: 1, rounds: 5 };

/** Twenty falsifications of a single fact. */
export const lies: readonly Lie[] = [
  {
    kind: 'output throughput x 1.3',
    where: complete,
    needs: ['output_tok_s', 'output_tokens', 'duration_s'],
    apply: times('output_tok_s', 1.3),
  },
  {
    kind: 'total throughput x 1.3',
    where: complete,
    needs: ['total_tok_s', 'duration_s'],
    apply: times('total_tok_s', 1.3),
  },
  {
    kind: 'input throughput x 0.7',
    where: complete,
    needs: ['input_tok_s', 'duration_s'],
    apply: times('input_tok_s', 0.7),
  },
  { kind: 'request rate x 1.3', where: complete, needs: ['req_s', 'duration_s'], apply: times('req_s', 1.3) },
  { kind: 'duration x 0.7', where: complete, needs: ['duration_s', 'req_s'], apply: times('duration_s', 0.7) },
  {
    kind: 'output tokens x 1.3',
    where: complete,
    needs: ['output_tokens', 'output_tok_s'],
    apply: times('output_tokens', 1.3),
  },
  {
    kind: 'TTFT p50 and p99 swapped',
    where: long,
    needs: ['ttft_ms_p50', 'ttft_ms_p99'],
    apply: swapped('ttft_ms_p50', 'ttft_ms_p99'),
  },
  {
    kind: 'E2E p90 and maximum swapped',
    where: long,
    needs: ['e2e_ms_p90', 'e2e_ms_max'],
    apply: swapped('e2e_ms_p90', 'e2e_ms_max'),
  },
  { kind: 'mean TTFT x 4', where: long, needs: ['ttft_ms_mean', 'ttft_ms_max'], apply: times('ttft_ms_mean', 4) },
  {
    kind: 'mean ITL x 0.6',
    where: long,
    needs: ['itl_ms_mean', 'e2e_ms_mean', 'ttft_ms_mean'],
    apply: times('itl_ms_mean', 0.6),
  },
  {
    kind: 'mean TPOT x 0.6, equal lengths',
    where: long,
    needs: ['tpot_ms_mean', 'e2e_ms_mean'],
    apply: times('tpot_ms_mean', 0.6),
  },
  {
    kind: 'mean E2E x 0.7',
    where: long,
    needs: ['e2e_ms_mean', 'ttft_ms_mean', 'itl_ms_mean'],
    apply: times('e2e_ms_mean', 0.7),
  },
  {
    kind: 'standard deviation of TTFT x 30',
    where: long,
    needs: ['ttft_ms_sd', 'ttft_ms_min', 'ttft_ms_max'],
    apply: times('ttft_ms_sd', 30),
  },
  {
    kind: 'half the users',
    where: { ...long, rounds: 5 },
    needs: ['e2e_ms_mean', 'requests_ok', 'duration_s'],
    apply: (result) => ({ ...result, load: { mode: 'concurrency', level: 4 } }),
  },
  { kind: 'a smaller GPU', where: quick, needs: ['tpot_ms_mean'], apply: onAnother({ gpu: 'rtx-4090' }) },
  {
    kind: 'a model of nine times the size',
    where: quick,
    needs: ['tpot_ms_mean'],
    apply: onAnother({ model: 'llama-3.3-70b' }),
  },
  {
    kind: 'bf16 where it was 4 bit',
    where: { ...quick, machine: { ...small, quantization: 'gguf-q4_k_m' } },
    needs: ['tpot_ms_mean'],
    apply: onAnother({ quantization: 'bf16' }),
  },
  {
    kind: 'one GPU where it was four',
    where: { ...quick, machine: { model: 'llama-3.3-70b', quantization: 'fp8', gpu: 'h100-sxm', gpuCount: 4 } },
    needs: ['tpot_ms_mean'],
    apply: onAnother({ gpuCount: 1, parallelism: { tensor: 1, pipeline: null, data: null, expert: null } }),
  },
  {
    kind: 'per-user speed x 3',
    where: oneUser,
    needs: ['tpot_ms_mean'],
    apply: (result) => withMetrics(result, ({ tpot_ms_mean: tpot = 1 }) => ({ user_tok_s: 3000 / tpot })),
  },
  {
    kind: 'goodput twice the request rate',
    where: complete,
    needs: ['req_s'],
    apply: (result) => withMetrics(result, ({ req_s = 0 }) => ({ goodput_req_s: 2 * req_s })),
  },
];
