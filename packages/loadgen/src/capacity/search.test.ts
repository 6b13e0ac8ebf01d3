import { createRandom } from '@inferboard/loadgen/pacing/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Capacity, nextProbe, type Observation, type Probe, type SearchOptions, usualSearch } from './search.ts';

// Simulated servers with a known capacity.

interface Simulated {
  capacity: number;
  observe(probe: Probe, chance: () => number): Observation;
}

const normal = (chance: () => number) => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

/** Time per token grows with the users: ratio = base + slope * users. */
function slowing(capacity: number, base: number, noise: number): Simulated {
  return {
    capacity,
    observe: ({ level, isFine }, chance) => ({
      ...{ level, isFine, bound: 'tpot_p99<50', isSaturated: false },
      ratio: (base + ((1 - base) * level) / capacity) * Math.exp(noise * normal(chance)),
      completed_req_s: level / (base + level / capacity),
    }),
  };
}

/** A number of slots with a queue: the first token waits for the requests ahead. */
function queueing(capacity: number, slots: number, noise: number): Simulated {
  // With `capacity` users, the wait equals the limit.
  const base = 0.05;
  const slope = (1 - base) / (capacity - slots);
  return {
    capacity,
    observe: ({ level, isFine }, chance) => ({
      ...{ level, isFine, bound: 'ttft_p99<2000', isSaturated: false },
      ratio: (base + Math.max(0, level - slots) * slope) * Math.exp(noise * normal(chance)),
      completed_req_s: Math.min(level, slots) * 2,
    }),
  };
}

/** An open loop: the wait grows up to the capacity, and without limit above it. */
function arriving(saturation: number, base: number, noise: number): Simulated {
  const capacity = saturation * (1 - base);
  return {
    capacity,
    observe: ({ level, isFine }, chance) => {
      const isSaturated = level > saturation * 1.02;
      const wait = level < saturation * 0.999 ? base / (1 - level / saturation) : 1000;
      return {
        ...{ level, isFine, isSaturated, bound: 'ttft_p99<2000' },
        ratio: Math.min(wait, 5 + 100 * Math.abs(level / saturation - 1)) * Math.exp(noise * normal(chance)),
        completed_req_s: Math.min(level, saturation) * Math.exp(0.2 * noise * normal(chance)),
      };
    },
  };
}

function search(server: Simulated, options: Partial<SearchOptions>, seed: number) {
  const random = createRandom(seed);
  const asked: SearchOptions = { ...usualSearch, mode: 'concurrency', first: 1, highest: 10_000, ...options };
  const history: Observation[] = [];
  for (;;) {
    const step = nextProbe(history, asked);
    if ('done' in step) return { found: step.done, history };
    history.push(server.observe(step.probe, () => random.next()));
  }
}

/** Distance of the result and its interval from the true capacity. */
function judge(found: Capacity, { capacity }: Simulated, mode: SearchOptions['mode']) {
  const [lo, hi] = found.interval;
  const grain = mode === 'concurrency' ? 1 : 0;
  return {
    error: Math.max(0, Math.abs((found.level ?? 0) - capacity) - grain) / capacity,
    covers: (lo ?? 0) <= capacity * 1.01 + grain && (hi ?? Number.POSITIVE_INFINITY) >= capacity * 0.99 - grain,
  };
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const kinds: Record<string, (seed: number) => [Simulated, SearchOptions['mode']]> = {
  'whose tokens slow down': (seed) => [slowing(20 + 12 * seed, 0.5, 0.003), 'concurrency'],
  'with slots and a queue': (seed) => [queueing(60 + 10 * seed, 16 + seed, 0.003), 'concurrency'],
  'with an open loop': (seed) => [arriving(7.3 + 9 * seed, 0.05, 0.005), 'rate'],
  'with a loose limit on an open loop': (seed) => [arriving(7.3 + 9 * seed, 0.01, 0.005), 'rate'],
};

describe.each(Object.keys(kinds))('a server %s', (kind) => {
  test.each(seeds)('is measured within 3 %% in 12 points, seed %i', (seed) => {
    const [server, mode] = kinds[kind]?.(seed) ?? [];
    if (server === undefined || mode === undefined) throw new Error('no such kind');
    const { found, history } = search(server, { mode }, seed);
    const { error, covers } = judge(found, server, mode);
    expect({ end: found.end, isQuick: history.length <= 12 }, JSON.stringify({ found, history })).toEqual({
      ...{ end: 'found', isQuick: true },
    });
    // The interval of a rate contains the capacity with a probability of 80 %.
    if (mode === 'concurrency') expect(covers).toBe(true);
    expect(error).toBeLessThanOrEqual(0.03);
  });
});

// Time per token grows by a third up to the capacity, so a user more changes it by less than its noise.
test.each([
  { noise: 0.003, quickLeast: 0.95, rightLeast: 1 },
  { noise: 0.006, quickLeast: 0.65, rightLeast: 0.97 },
])('points near the limit judge each other, noise $noise', ({ noise, quickLeast, rightLeast }) => {
  const runs = Array.from({ length: 200 }, (_, seed) => {
    const server = slowing(40 + 4 * (seed % 20), 2 / 3, noise);
    const { found, history } = search(server, {}, seed);
    return { isQuick: history.length <= 12, isRight: judge(found, server, 'concurrency').error <= 0.03 };
  });
  expect(runs.filter(({ isQuick }) => isQuick).length / runs.length).toBeGreaterThanOrEqual(quickLeast);
  expect(runs.filter(({ isRight }) => isRight).length / runs.length).toBeGreaterThanOrEqual(rightLeast);
});

/** A ratio that grows with the load along any curve, and is 1 at the capacity. */
const curves = fc.record({
  capacity: fc.double({ min: 1.2, max: 9000, noNaN: true }),
  below: fc.double({ min: 0.05, max: 8, noNaN: true }),
  above: fc.double({ min: 0.05, max: 8, noNaN: true }),
  first: fc.double({ min: 0.5, max: 100, noNaN: true }),
  mode: fc.constantFrom('rate' as const, 'concurrency' as const),
});

// A capacity of two users must not be stated if only one and three were measured.
test.each([1, 2, 3, 4, 5])('returns a measured load as the capacity of a server with %d slots', (slots) => {
  const server: Simulated = {
    capacity: slots,
    observe: ({ level, isFine }) => ({
      ...{ level, isFine, bound: 'ttft_p99<2000', isSaturated: false },
      ratio: level <= slots ? 0.6 : 1.2,
      completed_req_s: Math.min(level, slots),
    }),
  };
  const { found, history } = search(server, {}, 1);
  expect(found).toMatchObject({ end: 'found', interval: [slots, slots + 1] });
  expect(history.map(({ level }) => level)).toContain(Math.floor(found.level ?? 0));
});

test('without noise, finds the capacity of any curve with an interval within 5 %', () => {
  fc.assert(
    fc.property(curves, fc.nat(), ({ capacity, below, above, first, mode }, seed) => {
      const server: Simulated = {
        capacity,
        observe: ({ level, isFine }) => ({
          ...{ level, isFine, bound: 'e2e_p99<1', isSaturated: false, completed_req_s: null },
          ratio: (level / capacity) ** (level < capacity ? below : above),
        }),
      };
      const from = mode === 'rate' ? first : Math.ceil(first);
      const { found, history } = search(server, { mode, first: from, pointsMax: 60 }, seed);
      const [lo, hi] = found.interval;
      if (lo !== null) expect(lo).toBeLessThanOrEqual(capacity);
      if (hi !== null) expect(hi).toBeGreaterThanOrEqual(capacity);
      // A flat curve leaves verdicts near the limit uncertain.
      if (Math.min(below, above) < 0.5) return;
      expect(found.end).toBe(capacity < 1 ? 'lowest_fails' : 'found');
      expect(history.length).toBeLessThanOrEqual(25);
      expect(hi === null || lo === null || hi / lo <= 1.05 + 1e-9 || (mode === 'concurrency' && hi - lo <= 2)).toBe(
        true,
      );
    }),
  );
});

test('with 3 % noise, repeats points, and the interval contains the capacity in 9 of 10 searches', () => {
  const found = Array.from({ length: 200 }, (_, seed) => {
    const server = slowing(50 + seed, 0.2, 0.03);
    return { server, ...search(server, {}, seed) };
  });
  const held = found.filter((one) => judge(one.found, one.server, 'concurrency').covers);
  expect(held.length).toBeGreaterThanOrEqual(180);
  expect(found.every(({ history }) => history.length <= usualSearch.pointsMax)).toBe(true);
  expect(found.some(({ history }) => history.length > 12)).toBe(true);
});

describe('a search ends', () => {
  const flat = (ratio: number): Simulated => ({
    capacity: 0,
    observe: ({ level, isFine }) => ({
      ...{ level, isFine, bound: 'ttft_p99<1', isSaturated: false, completed_req_s: level },
      ratio,
    }),
  });

  test('at the highest load, if it meets the limits', () => {
    const { found } = search(flat(0.1), { highest: 100 }, 1);
    expect(found).toMatchObject({ end: 'highest_holds', level: 100, interval: [100, null], bound: null });
  });

  test('at the lowest load, if it fails', () => {
    const { found } = search(flat(3), { first: 8 }, 1);
    expect(found).toMatchObject({ end: 'lowest_fails', level: null, interval: [null, 1], bound: 'ttft_p99<1' });
    expect(search(flat(3), { mode: 'rate' }, 1).found.end).toBe('lowest_fails');
  });

  /** A server whose measurements of one load have these ratios, one after another; lower loads hold and higher ones fail. */
  const undecided = (load: number, ratios: readonly number[]): Simulated => {
    let at = 0;
    return {
      capacity: load,
      observe: ({ level, isFine }) => ({
        ...{ level, isFine, bound: 'ttft_p99<1', isSaturated: false, completed_req_s: level },
        ratio: level < load ? 0.2 : level > load ? 4 : (ratios[at++ % ratios.length] ?? 1),
      }),
    };
  };

  test('at the highest load, only after its verdict is certain or the repetitions are used', () => {
    const options = { first: 8, highest: 8 };
    const missed = search(undecided(8, [0.7, 0.7, 1.3, 0.7, 1.3]), options, 1);
    expect(missed.history.filter(({ isFine }) => isFine)).toHaveLength(4);
    expect(missed.found).toMatchObject({ end: 'noise', level: 8, interval: [null, null] });
    const met = search(undecided(8, [0.7, 1.1, 0.6, 0.6, 0.6]), options, 1);
    expect(met.found).toMatchObject({ end: 'highest_holds', interval: [8, null] });
    expect(met.history.length).toBeGreaterThan(3);
  });

  test('at the lowest load, only after its verdict is certain or the repetitions are used', () => {
    const { found, history } = search(undecided(1, [1.4, 0.8, 1.4, 0.85, 1.5]), { first: 1 }, 1);
    expect(history.filter(({ level, isFine }) => level === 1 && isFine)).toHaveLength(4);
    expect(found).toMatchObject({ end: 'noise', level: null });
    expect(found.interval[0]).toBeNull();
  });

  test('without a rate above the highest one, even if one of its measurements missed', () => {
    const { history } = search(undecided(8, [0.7, 1.3, 0.7, 0.7]), { mode: 'rate', first: 8, highest: 8 }, 1);
    expect(Math.max(...history.map(({ level }) => level))).toBe(8);
  });

  test('after the maximum number of points', () => {
    const { found, history } = search(slowing(500, 0.5, 0.003), { pointsMax: 4 }, 1);
    expect([found.end, history.length]).toEqual(['points', 4]);
  });

  test('with the load above which requests only queue', () => {
    const { found } = search(queueing(100, 16, 0.003), {}, 1);
    expect(found.saturatedFrom).toBeGreaterThanOrEqual(17);
    expect(found.saturatedFrom).toBeLessThanOrEqual(64);
    expect(search(slowing(100, 0.9, 0.003), {}, 1).found.saturatedFrom).toBeNull();
  });
});
