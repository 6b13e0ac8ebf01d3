import { describe, expect, test } from 'vitest';
import { percentileOf } from '../measure/records/percentiles.ts';
import { rateSchedule } from '../pacing/arrivals.ts';
import { queueOf } from './observe.ts';
import { refineRate } from './rate-search.ts';
import { type Capacity, nextProbe, type Observation, type Probe, usualSearch } from './search.ts';

/** A server that serves a number of requests at once, each for the same time, in the order of their arrival. */
interface Server {
  slots: number;
  ttftMs: number;
  serviceMs: number;
}

/** A point of Poisson arrivals without any overhead, under a limit of TTFT p99. */
function observe({ slots, ttftMs, serviceMs }: Server, { level, isFine }: Probe, seed: number): Observation {
  const freeAt = new Float64Array(slots);
  const due = rateSchedule(level, isFine ? 2000 : 1000, { burstiness: 1, seed });
  const requests = Array.from(due, (started_ms) => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const closed_ms = Math.max(started_ms, freeAt[slot] ?? 0) + serviceMs;
    freeAt[slot] = closed_ms;
    return { started_ms, closed_ms, outcome: 'ok' as const };
  });
  const ttfts = Float64Array.from(requests, (one) => one.closed_ms - serviceMs + ttftMs - one.started_ms);
  const { completed_req_s, grows } = queueOf({ requests } as unknown as Parameters<typeof queueOf>[0]);
  const ratio = percentileOf(ttfts.sort(), 99) / 2000;
  const saturation = grows ? level / (completed_req_s ?? Number.NaN) : 0;
  return {
    ...{ level, isFine, isSaturated: grows, completed_req_s },
    ...(saturation > ratio ? { ratio: saturation, bound: 'saturation' } : { ratio, bound: 'ttft_p99<2000' }),
  };
}

function search(server: Server, seed: number): { found: Capacity; points: number } {
  const history: Observation[] = [];
  for (;;) {
    const step = nextProbe(history, { ...usualSearch, mode: 'rate', first: server.slots, highest: 1e5 });
    if ('done' in step) return { found: step.done, points: history.length };
    history.push(observe(server, step.probe, 1000 * seed + history.length));
  }
}

describe('the rate that a server with slots sustains under Poisson arrivals', () => {
  const searches = Array.from({ length: 100 }, (_, seed) => {
    const server = { slots: 8 + (seed % 20), ttftMs: 100, serviceMs: 320 };
    const capacity = (1000 * server.slots) / server.serviceMs;
    const { found, points } = search(server, seed + 1);
    const [low, high] = found.interval;
    const isInside = (low ?? Number.NaN) <= capacity && capacity <= (high ?? Number.NaN);
    return { end: found.end, error: Math.abs((found.level ?? 0) / capacity - 1), isInside, points };
  });

  test('is found within 3 % in 12 points, by at least 95 of 100 searches', () => {
    const good = searches.filter(({ end, error, points }) => end === 'found' && error <= 0.03 && points <= 12);
    expect(good.length).toBeGreaterThanOrEqual(95);
  });

  test('is in the interval of 80 %', () => {
    expect(searches.filter(({ isInside }) => isInside).length).toBeGreaterThanOrEqual(75);
  });
});

test('a rate between verdicts that contradict each other has a wide interval', () => {
  const point = (level: number, ratio: number): Observation => ({
    ...{ level, ratio, bound: 'ttft_p99<2000', isSaturated: false, completed_req_s: level, isFine: true },
  });
  const certain = refineRate([point(96, 0.5), point(98, 0.6), point(102, 3), point(104, 5)]);
  const doubtful = refineRate([point(90, 0.5), point(110, 0.6), point(92, 3), point(112, 5)]);
  const width = ({ interval: [low, high] }: typeof certain) => high / low;
  expect(width(doubtful)).toBeGreaterThan(2 * (width(certain) - 1) + 1);
  expect(certain).toMatchObject({ bound: 'ttft_p99<2000', completed_req_s: 98 });
  expect(certain.level).toBeGreaterThan(98);
  expect(certain.level).toBeLessThan(102);
});
