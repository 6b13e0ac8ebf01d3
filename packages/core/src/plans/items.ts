import type { KnownLoad } from '../load.ts';
import type { Scenario } from '../scenario.ts';
import type { PlanItem } from './point.ts';

/** Waves of a closed loop: enough that its ramp up and its end, a wave together, do not decide. */
const wavesOfLoop = 4;
/** Requests of a loop of few users at least. */
const requestsOfLoopLeast = 16;
/** Requests of an open loop: `vllm bench serve --num-prompts` by default, so that both send the same. */
const requestsOfRate = 1000;
/** A rate of fewer requests is none: the check of short runs asks for 100. */
const requestsOfRateLeast = 100;
const warmupMost = 8;

/** Requests that a load has where a plan does not tell. */
export function requestsOf({ mode, level }: KnownLoad): number {
  if (mode === 'rate') return requestsOfRate;
  return mode === 'concurrency' ? Math.max(requestsOfLoopLeast, wavesOfLoop * level) : level;
}

function requestsLeastOf({ mode, level }: KnownLoad, requests: number): number {
  return Math.min(requests, mode === 'rate' ? requestsOfRateLeast : level);
}

/** Requests to warm up with: as many as the load has in flight, a few at most. */
function warmupOf({ mode, level }: KnownLoad): number {
  return mode === 'rate' ? warmupMost : Math.min(level, warmupMost);
}

/** An item with the plan's defaults for what is not told. */
export function planItem(
  scenario: Scenario,
  load: KnownLoad,
  told: { requests?: number | undefined; warmup?: number | undefined } = {},
): PlanItem {
  const requests = told.requests ?? requestsOf(load);
  const requestsLeast = requestsLeastOf(load, requests);
  return { scenario, load, requests, warmup: told.warmup ?? warmupOf(load), requestsLeast };
}
