import type { Random } from '../../packages/core/src/testing/random.ts';
import { normal } from './chance.ts';
import type { Speed } from './speed.ts';
import type { Workload } from './workloads.ts';

/** Latencies of one run by mean and standard deviation, in ms. */
export interface Spread {
  mean: number;
  sd: number;
}

/** The figures of one run. Rates per second, `durationS` in seconds. */
export interface Run {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  durationS: number;
  reqS: number;
  ttft: Spread;
  tpot: Spread;
  itl: Spread;
  e2e: Spread;
}

/** Fraction of other requests' prefills that delays a first token; the rest delays the tokens after it. */
const prefillAhead = 0.3;
/** Number of requests per concurrent request, and the minimum for a run. */
const rounds = 8;
const requestsMin = 100;

/**
 * A closed loop of `level` users. Each active request takes its own prefill, those of the others, and its decoding steps. Users
 * beyond the memory capacity wait. So throughput rises until memory or compute is saturated, latencies rise with the load, and
 * users = rate x latency (Little's law). `noise`: relative difference between runs.
 */
export function runAt(speed: Speed, workload: Workload, level: number, noise: number, random: Random): Run {
  const { inputTokens, outputTokens } = workload;
  const context = inputTokens + outputTokens / 2;
  const slower = Math.max(0.8, 1 + noise * normal(random));
  const working = Math.min(level, speed.slots(context));
  const prefillS = speed.prefillS(inputTokens) * slower;
  const stepS = speed.decodeS(working, context) * slower;
  const workS = outputTokens * stepS + working * prefillS;
  const reqS = working / workS;
  const waitS = (level - working) / reqS;
  const firstS = prefillS * (1 + prefillAhead * (working - 1)) + stepS;
  const requests = Math.max(requestsMin, level * rounds);
  const spread = (meanS: number, share: number): Spread => ({
    mean: meanS * 1000,
    sd: meanS * 1000 * share * random.between(0.9, 1.1),
  });
  const ttft = spread(firstS + waitS, working < level ? 0.45 : 0.3);
  const tpotS = (workS - firstS) / (outputTokens - 1);
  return {
    requests,
    inputTokens: requests * inputTokens,
    outputTokens: requests * outputTokens,
    durationS: requests / reqS,
    reqS,
    ttft,
    tpot: spread(tpotS, 0.04),
    itl: spread(tpotS, 0.35),
    // A wait for the first token delays the last token equally.
    e2e: { mean: (workS + waitS) * 1000, sd: Math.hypot(ttft.sd, workS * 50) },
  };
}
