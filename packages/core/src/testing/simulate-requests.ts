import { findGpu, findModel, findQuantization } from '../catalogue/index.ts';
import { nothingRecorded, type RequestRecord } from '../records.ts';
import type { Random } from './random.ts';

/** A system with a speed derived from its hardware and a realistic efficiency. */
export interface SimulatedSystem {
  model: string;
  quantization: string;
  gpu: string;
  gpuCount: number;
  /** Tokens drafted per step in addition to the certain one; 0 without speculative decoding. */
  draftTokens: number;
  /** Share of the ideal speed, 0..0.9. */
  efficiency: number;
}

export interface Workload {
  /** Fixed length, or the mean of lengths between a quarter and nearly twice of it. */
  inputTokens: number;
  outputTokens: number;
  varied: boolean;
}

export type SimulatedLoad =
  | { mode: 'concurrency'; level: number; requests: number }
  | { mode: 'burst'; level: number; slots: number }
  | { mode: 'rate'; level: number; requests: number };

function required(figure: number | null | undefined, name: string): number {
  if (figure == null) throw new Error(`${name} is not in the catalogue: simulate something else`);
  return figure;
}

/** Times in seconds from the catalogue's nominal figures, independent of the checks. */
export function stepTimes(system: SimulatedSystem) {
  const gpu = findGpu(system.gpu);
  const model = findModel(system.model);
  const bits = required(findQuantization(system.quantization)?.bitsPerWeight, system.quantization);
  const bandwidth = required(gpu?.memoryBandwidthGbs, system.gpu) * 1e9 * system.gpuCount;
  const flops = required(gpu?.tflopsDense.bf16, system.gpu) * 1e12 * system.gpuCount;
  const read = required(model?.matmulParamsPerTokenB, system.model) * 1e9;
  const prefilled = required(model?.prefillParamsPerTokenB, system.model) * 1e9;
  const kvBytes = required(model?.kvBytesPerToken16bit, system.model);
  return {
    /** One decoding step of `batch` sequences of `context` tokens, in seconds. */
    decodeS: (batch: number, context: number) =>
      Math.max(
        (read * (bits / 8) + batch * context * kvBytes) / bandwidth,
        (2 * read * batch * (system.draftTokens + 1)) / flops,
      ) / system.efficiency,
    prefillS: (tokens: number) => (2 * prefilled * tokens) / flops / system.efficiency,
  };
}

function lengthOf(mean: number, varied: boolean, random: Random): number {
  return varied ? Math.max(1, Math.round(mean * random.between(0.25, 1.75))) : mean;
}

/**
 * Simulates one request: prefill shared with `sharing` others, then steps with scatter and occasional stalls. Each step
 * gives one token, or several with speculation. `waitS` is the time in the queue.
 */
function simulateRequest(
  system: SimulatedSystem,
  workload: Workload,
  at: { sentS: number; waitS: number; sharing: number; maxTokens: boolean },
  random: Random,
): RequestRecord {
  const times = stepTimes(system);
  const inputTokens = lengthOf(workload.inputTokens, workload.varied, random);
  const outputTokens = lengthOf(workload.outputTokens, workload.varied, random);
  const prefillS = times.prefillS(inputTokens * at.sharing) * (1 + 0.2 * random.exponential());
  const stepMs = times.decodeS(at.sharing, inputTokens + outputTokens / 2) * 1000;
  const gapsMs: number[] = [];
  for (let made = 1; made < outputTokens; ) {
    const stall = random.chance(0.02) ? random.between(2, 20) : 1;
    gapsMs.push(stepMs * stall * (0.98 + 0.1 * random.exponential()));
    made += system.draftTokens === 0 ? 1 : random.whole(1, system.draftTokens + 1);
  }
  const ttftMs = (at.waitS + prefillS) * 1000 + stepMs + random.between(0.2, 3);
  return {
    sentS: at.sentS,
    inputTokens,
    cachedTokens: null,
    outputTokens,
    maxTokens: at.maxTokens ? (workload.varied ? Math.ceil(workload.outputTokens * 1.75) : outputTokens) : null,
    ttftMs,
    e2eMs: gapsMs.reduce((sum, gap) => sum + gap, ttftMs),
    gapsMs,
    error: null,
  };
}

const failed = (sentS: number, inputTokens: number): RequestRecord => ({
  ...nothingRecorded,
  sentS,
  inputTokens,
  error: 'connection reset by peer',
});

/** Simulates all requests of a run in send order. About one run in ten has failures. */
export function simulateRequests(
  system: SimulatedSystem,
  workload: Workload,
  load: SimulatedLoad,
  random: Random,
): RequestRecord[] {
  const slots =
    load.mode === 'concurrency' ? load.level : load.mode === 'burst' ? load.slots : Number.POSITIVE_INFINITY;
  const count = load.mode === 'burst' ? load.level : load.requests;
  const failing = random.chance(0.1) ? random.between(0.01, 0.1) : 0;
  const maxTokens = random.chance(0.5);
  const freeS: number[] = slots === Number.POSITIVE_INFINITY ? [] : new Array<number>(slots).fill(0);
  const requests: RequestRecord[] = [];
  let arrivalS = 0;
  for (let index = 0; index < count; index++) {
    let slot = 0;
    for (let other = 1; other < freeS.length; other++) {
      if ((freeS[other] ?? 0) < (freeS[slot] ?? 0)) slot = other;
    }
    const startS = freeS[slot] ?? arrivalS;
    const sentS = load.mode === 'concurrency' ? startS : load.mode === 'burst' ? 0 : arrivalS;
    if (load.mode === 'rate') arrivalS += random.exponential() / load.level;
    if (random.chance(failing)) {
      requests.push(failed(sentS, workload.inputTokens));
      continue;
    }
    const waitS = load.mode === 'burst' ? startS : 0;
    const sharing = load.mode === 'rate' ? rateSharing : Math.min(slots, count);
    const request = simulateRequest(system, workload, { sentS, waitS, sharing, maxTokens }, random);
    requests.push(request);
    if (freeS.length > 0) freeS[slot] = sentS + (request.e2eMs ?? 0) / 1000 + random.between(0, 0.001);
  }
  return requests;
}

/** Assumed requests in flight of an open loop; its rate must be low enough for that (`sustainableRate`). */
const rateSharing = 16;

/** Requests per second at which about half of `rateSharing` requests are in flight. */
export function sustainableRate(system: SimulatedSystem, { inputTokens, outputTokens }: Workload): number {
  const times = stepTimes(system);
  const e2eS = times.prefillS(inputTokens * rateSharing) + outputTokens * times.decodeS(rateSharing, inputTokens);
  return (0.4 * rateSharing) / e2eS;
}
