import type { Metrics } from '../adapters/adapter.ts';
import { metricNames } from '../metrics/index.ts';
import type { RequestRecord } from '../records.ts';
import type { Result } from '../subjects/result.ts';
import { createRandom, type Random } from './random.ts';
import { makeResult } from './result.ts';
import {
  type SimulatedLoad,
  type SimulatedSystem,
  simulateRequests,
  stepTimes,
  sustainableRate,
  type Workload,
} from './simulate-requests.ts';
import { leaveOut, summariseLikeATool, type ToolStyle } from './tool-summary.ts';

/** An unfalsified run: the tool's figures, and the requests. */
export interface HonestRun {
  result: Result;
  requests: readonly RequestRecord[];
}

type Machine = Pick<SimulatedSystem, 'model' | 'quantization' | 'gpu' | 'gpuCount'>;

const machines: readonly [Machine, ...Machine[]] = [
  { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', gpuCount: 1 },
  { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpuCount: 1 },
  { model: 'llama-3.3-70b', quantization: 'fp8', gpu: 'h100-sxm', gpuCount: 4 },
  { model: 'llama-3.3-70b', quantization: 'bf16', gpu: 'h200-sxm', gpuCount: 8 },
  { model: 'llama-3.1-8b', quantization: 'gguf-q4_k_m', gpu: 'rtx-4090', gpuCount: 1 },
  { model: 'qwen3-14b', quantization: 'bf16', gpu: 'a100-sxm4-80gb', gpuCount: 2 },
  { model: 'qwen3-30b-a3b', quantization: 'bf16', gpu: 'h100-sxm', gpuCount: 1 },
];

const styles: readonly [ToolStyle, ...ToolStyle[]] = [
  { percentiles: 'linear', sd: 'population', digits: 2 },
  { percentiles: 'linear', sd: 'sample', digits: null },
  { percentiles: 'nearest', sd: 'sample', digits: 1 },
  { percentiles: 'nearest', sd: 'population', digits: 3 },
  { percentiles: 'linear', sd: 'population', digits: 0 },
];

const levels = [1, 2, 4, 8, 16, 32] as const;

/** Random choices of a run that a test can fix. */
export interface Wish {
  machine?: Machine;
  style?: ToolStyle;
  workload?: Workload;
  mode?: SimulatedLoad['mode'];
  level?: number;
  draftTokens?: number;
  efficiency?: number;
  /** True to state every figure; otherwise tools omit some. */
  complete?: boolean;
  /** Requests per slot in flight. */
  rounds?: number;
}

function chooseLoad(system: SimulatedSystem, workload: Workload, wish: Wish, random: Random): SimulatedLoad {
  const level = wish.level ?? random.pick(levels);
  const rounds = wish.rounds ?? random.whole(2, 5);
  const mode = wish.mode ?? random.pick(['concurrency', 'concurrency', 'burst', 'rate']);
  if (mode === 'concurrency') return { mode, level, requests: level * rounds };
  if (mode === 'burst') return { mode, level, slots: Math.max(1, Math.round(level / random.whole(1, 3))) };
  const rate = sustainableRate(system, workload) * random.between(0.2, 1);
  return { mode, level: Number(rate.toPrecision(3)), requests: 16 * rounds };
}

/** The window that a tool measures: from the first request sent to slightly after the last one finished. */
function windowOf(requests: readonly RequestRecord[], random: Random): number {
  const first = Math.min(...requests.map(({ sentS }) => sentS ?? 0));
  const last = Math.max(...requests.map(({ sentS, e2eMs }) => (sentS ?? 0) + (e2eMs ?? 0) / 1000));
  return last - first + random.between(0.0005, 0.003);
}

function toResult(
  system: SimulatedSystem,
  workload: Workload,
  load: SimulatedLoad,
  stated: { metrics: Metrics; definitions: Result['definitions'] },
): Result {
  const { draftTokens, gpuCount } = system;
  return makeResult({
    system: {
      ...system,
      parallelism: { tensor: gpuCount, pipeline: null, data: null, expert: null },
      features: draftTokens === 0 ? {} : { speculative_decoding: true, draft_tokens: draftTokens },
    },
    scenario: { inputTokens: workload.inputTokens, outputTokens: workload.outputTokens },
    load: { mode: load.mode, level: load.level },
    ...stated,
  });
}

/** Simulates one honest run request by request. */
export function simulateRun(seed: number, wish: Wish = {}): HonestRun {
  const random = createRandom(seed);
  const system: SimulatedSystem = {
    ...(wish.machine ?? random.pick(machines)),
    draftTokens: wish.draftTokens ?? (random.chance(0.15) ? random.whole(1, 4) : 0),
    efficiency: wish.efficiency ?? random.between(0.25, 0.88),
  };
  const workload = wish.workload ?? {
    inputTokens: random.pick([16, 128, 1024, 8192]),
    outputTokens: random.pick([1, 2, 16, 48]),
    varied: random.chance(0.5),
  };
  const load = chooseLoad(system, workload, wish, random);
  const requests = simulateRequests(system, workload, load, random);
  const summary = summariseLikeATool(requests, windowOf(requests, random), wish.style ?? random.pick(styles));
  const isComplete = wish.complete ?? random.chance(0.5);
  const kept = new Set(metricNames.filter(() => isComplete || random.chance(0.6)));
  const metrics = leaveOut(summary.metrics, (name) => kept.has(name));
  return { result: toResult(system, workload, load, { ...summary, metrics }), requests };
}

/** Simulates one static batch as timed by offline tools: prefill, then steps of all sequences together. */
export function simulateBatch(seed: number): Result {
  const random = createRandom(seed);
  const system: SimulatedSystem = {
    ...random.pick(machines),
    draftTokens: 0,
    efficiency: random.between(0.25, 0.88),
  };
  const batch = random.pick([1, 8, 32, 128]);
  const inputTokens = random.pick([128, 2048]);
  const outputTokens = random.pick([16, 512]);
  const times = stepTimes(system);
  const ttftS = times.prefillS(inputTokens * batch) + random.between(0.001, 0.01);
  const decodeS = outputTokens * times.decodeS(batch, inputTokens + outputTokens / 2) * random.between(1, 1.1);
  const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
  const latencyS = ttftS + decodeS;
  return makeResult({
    system: { ...system, parallelism: { tensor: system.gpuCount, pipeline: null, data: null, expert: null } },
    scenario: { inputTokens, outputTokens },
    load: { mode: 'batch', level: batch },
    metrics: {
      e2e_ms_mean: rounded(latencyS, 2) === 0 ? latencyS * 1000 : Number((rounded(latencyS, 2) * 1000).toFixed(0)),
      ttft_ms_mean: ttftS * 1000,
      total_tok_s: rounded((batch * (inputTokens + outputTokens)) / latencyS, 2),
      prefill_tok_s: rounded((batch * inputTokens) / ttftS, 2),
      decode_tok_s: rounded((batch * outputTokens) / decodeS, 2),
    },
    definitions: { e2e_ms: 'whole_batch', ttft_ms: 'last_of_batch', decode_tok_s: 'client', prefill_tok_s: 'client' },
  });
}

/** Simulates an artifact of one system: a single user and higher levels, some of them repeated. */
export function simulateSweep(seed: number): Result[] {
  const random = createRandom(seed);
  const machine = random.pick(machines);
  const efficiency = random.between(0.25, 0.88);
  const workload = { inputTokens: 128, outputTokens: 16, varied: false };
  const style = random.pick(styles);
  const repetitions = random.whole(1, 3);
  return [1, random.pick([2, 8, 32])].flatMap((level) =>
    Array.from({ length: repetitions }, (_, repetition) => {
      const wish: Wish = { machine, efficiency, workload, style, mode: 'concurrency', level, draftTokens: 0 };
      const { result } = simulateRun(seed * 31 + level * 7 + repetition, wish);
      return { ...result, repetition: repetition + 1 };
    }),
  );
}
