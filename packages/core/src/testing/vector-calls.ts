import { withRecords } from '../records/attach.ts';
import type { RequestRecord } from '../records.ts';
import { usdPerMtokOutput } from '../series/cost.ts';
import { maxSafeQueue } from '../series/max-safe-queue.ts';
import { paretoFrontier } from '../series/pareto.ts';
import { welch } from '../statistics/intervals/welch.ts';
import { findOutliers } from '../statistics/outliers.ts';
import { percentile } from '../statistics/percentile.ts';
import { rankEntries } from '../statistics/ranks.ts';
import { summarise } from '../statistics/summary.ts';
import { makeRequest } from './requests.ts';
import { makeResult } from './result.ts';
import { physicsCalls } from './vector-physics.ts';

type Pair = readonly [number, number];

interface RequestWords {
  output_tokens: number;
  ttft_ms: number;
  tpot_ms: number;
}

/** A request with equal times between its tokens. */
function evenRequest({ output_tokens: n, ttft_ms: ttftMs, tpot_ms: tpotMs }: RequestWords): RequestRecord {
  const gapsMs = Array.from({ length: n - 1 }, () => tpotMs);
  return makeRequest({ outputTokens: n, ttftMs, gapsMs, e2eMs: ttftMs + (n - 1) * tpotMs });
}

/** Requests of two tokens sent at once, and one whose end sets the length of the run. */
function goodput(requests: readonly Pair[], seconds: number, limits: { ttft_ms: number; tpot_ms: number }) {
  const records = requests.map(([ttftMs, tpotMs], index) => {
    const e2eMs = ttftMs + tpotMs;
    const sentS = index === 0 ? seconds - e2eMs / 1000 : 0;
    return makeRequest({ sentS, outputTokens: 2, ttftMs, gapsMs: [tpotMs], e2eMs });
  });
  const limited = { ttftMs: limits.ttft_ms, tpotMs: limits.tpot_ms, itlMs: null, e2eMs: null };
  return withRecords(makeResult({ limits: limited }), records).metrics;
}

// The arguments come from `vectors.json`, so TypeScript does not know their types.
/* biome-ignore lint/suspicious/noExplicitAny: each call knows the types that the file gives it */
export const calls: Record<string, (...given: any[]) => unknown> = {
  ...physicsCalls,
  goodput,
  recompute: (requests: RequestWords[]) => {
    const { metrics, records } = withRecords(makeResult(), requests.map(evenRequest));
    // Three requests are too few to publish a percentile, but the certificate contains its value.
    return { ...metrics, e2e_ms_p50: records?.certificates.e2e_ms_p50?.value };
  },
  percentiles: (values: number[], ps: number[]) => ps.map((p) => percentile(values, p)),
  summarise: (values: number[]) => summarise(values),
  outliers: (values: number[]) => findOutliers(values),
  welch: (a: number[], b: number[]) => welch(summarise(a), summarise(b)),
  ranks: (intervals: Pair[]) =>
    rankEntries(
      intervals.map(([low, high]) => ({ low, high })),
      'higher',
    ).map(({ rank }) => rank),
  pareto: (points: Pair[]) => {
    const frontier = paretoFrontier(points, [
      { of: ([x]) => x, better: 'higher' },
      { of: ([, y]) => y, better: 'higher' },
    ]);
    return points.map((point) => frontier.includes(point));
  },
  max_safe_queue: (points: Pair[], limitS: number) => {
    const queue = maxSafeQueue(
      points.map(([depth, ttftS]) => ({ depth, ttftS })),
      limitS,
    );
    return { ...queue, cleaned: queue?.cleaned.map(({ ttftS }) => ttftS) };
  },
  usd_per_mtok_output: (usdPerGpuHour: number, gpuCount: number, outputTokS: number) =>
    usdPerMtokOutput({ usdPerGpuHour, gpuCount, outputTokS }),
};
