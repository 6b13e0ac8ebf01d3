import type { KnownLoad } from '../subjects/load.ts';
import type { PlanScenario } from './made-up-prompts.ts';
import type { PlanItem } from './point.ts';

/** Waves of a closed loop: enough that its ramp-up and its end, about one wave together, have little effect. */
const wavesOfLoop = 4;
/** Minimum requests of a loop with few users. */
const requestsOfLoopLeast = 16;
/** Requests of an open loop, the default of `vllm bench serve --num-prompts`, so that both send the same number. */
const requestsOfRate = 1000;
/** Minimum requests of a rate. The check of short runs requires 100. */
const requestsOfRateLeast = 100;
const warmupMost = 8;

/** Default requests of a load. */
export function requestsOf({ mode, level }: KnownLoad): number {
  if (mode === 'rate') return requestsOfRate;
  return mode === 'concurrency' ? Math.max(requestsOfLoopLeast, wavesOfLoop * level) : level;
}

function requestsLeastOf({ mode, level }: KnownLoad, requests: number): number {
  return Math.min(requests, mode === 'rate' ? requestsOfRateLeast : level);
}

/** Warm-up requests: as many as the load has in flight, up to a small maximum. */
function warmupOf({ mode, level }: KnownLoad): number {
  return mode === 'rate' ? warmupMost : Math.min(level, warmupMost);
}

/** Builds an item with the plan's defaults for missing values. */
export function planItem(
  scenario: PlanScenario,
  load: KnownLoad,
  counts: { requests?: number | undefined; warmup?: number | undefined } = {},
): PlanItem {
  const requests = counts.requests ?? requestsOf(load);
  const requestsLeast = requestsLeastOf(load, requests);
  return { scenario, load, requests, warmup: counts.warmup ?? warmupOf(load), requestsLeast };
}
