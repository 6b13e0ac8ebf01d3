import { readArtifact } from '@inferboard/core/adapters/index';
import { resolveScenario } from '@inferboard/core/catalogue/scenarios';
import { expandPlan } from '@inferboard/core/plans/expand';
import { readPlan } from '@inferboard/core/plans/read-plan';
import { recompute } from '@inferboard/core/records/recompute';
import { expect, test } from 'vitest';
import type { AnswerLog } from '../fake-server/answer.ts';
import { startFakeServer } from '../fake-server/fake-server.ts';
import { withFakeServer } from '../fake-server/testing/with-fake-server.ts';
import { measureLoad } from '../measure/measure-load.ts';
import { planFor } from '../measure/testing/plans.ts';
import { measurePoint } from '../points/measure-point.ts';
import { toNativeReport } from '../points/native-report.ts';
import { capacityWords, type FindPlan, findPoints } from './find-source.ts';
import { readLimits } from './limits.ts';
import { observe, queueOf } from './observe.ts';
import { type Capacity, usualSearch } from './search.ts';
import { fakeModel, measureSource, measuringOptions } from './testing/measure-source.ts';
import { repeatedPoints } from './until-source.ts';

// Uses the fake server. Its options determine its capacity.

const facts = { name: null, inputTokens: 8, outputTokens: 16, dataset: null, depth: null };
const { scenario } = resolveScenario(facts, { mode: 'concurrency', level: 1 });
const findPlan: FindPlan = {
  ...{
    scenario,
    limits: readLimits('tpot_mean<15,ttft_p99<5000'),
    seed: 5,
    requests: null,
    warmup: 0,
    durationS: null,
  },
  search: { ...usualSearch, mode: 'concurrency', first: 1, highest: 1000 },
};

/** Mean time per token in the server's own log. */
function writtenTpot(answers: readonly AnswerLog[]): number {
  const spans = answers
    .filter(({ writtenMs }) => writtenMs.length > 1)
    .map(({ writtenMs }) => ((writtenMs.at(-1) ?? 0) - (writtenMs[0] ?? 0)) / (writtenMs.length - 1));
  return spans.reduce((sum, span) => sum + span, 0) / spans.length;
}

test('finds the number of users at which the TPOT reaches the limit', async () => {
  // 10 ms per token plus 2 % for each other user: 15 ms at 26 users. The server log has the actual times.
  const fake = await startFakeServer({ ttftMs: 10, itlMs: 10, slowdown: 0.02 });
  try {
    const plan = { ...findPlan, search: { ...findPlan.search, first: 4, pointsMax: 14 }, requests: 60 };
    const source = findPoints(plan);
    const written: { level: number; tpot: number }[] = [];
    let from = 0;
    const measured = await measureSource(source, fakeModel(fake.port), measuringOptions(5), ({ point }) => {
      written.push({ level: point.load.level, tpot: writtenTpot(fake.answers.slice(from)) });
      from = fake.answers.length;
    });
    const { lines, isReached } = source.conclude(measured, []);
    expect(isReached).toBe(true);
    const number = (pattern: RegExp) => Number(pattern.exec(lines[0] ?? '')?.[1] ?? Number.NaN);
    const level = number(/^Capacity under tpot_mean<15, ttft_p99<5000: (?:about )?(\d+) concurrent\./);
    expect(level, lines[0]).toBeGreaterThan(4);
    expect(level).toBeLessThanOrEqual(28);
    const tpotAt = (users: number) => {
      const tpots = written.filter((one) => one.level === users).map(({ tpot }) => tpot);
      return tpots.reduce((sum, tpot) => sum + tpot, 0) / tpots.length;
    };
    // Noise can leave one bound of the interval uncertain.
    const [low, high] = [number(/ (\d+) concurrent met the limits/), number(/ (\d+) concurrent did not/)];
    if (low > 0) expect([level >= low, tpotAt(low) < 15 * 1.01]).toEqual([true, true]);
    if (high > 0) expect([level < high, tpotAt(high) > 15 * 0.99]).toEqual([true, true]);
    expect(lines[0]).toContain('Above the capacity: missed tpot_mean<15.');
    expect(lines[0]).toMatch(new RegExp(`${measured.length} points, \\d+ requests\\.$`));
  } finally {
    await fake.close();
  }
});

test('draws no conclusion from a canceled point', async () => {
  await withFakeServer({ ttftMs: 5, itlMs: 1 }, async (port) => {
    const plan = { ...findPlan, search: { ...findPlan.search, pointsMax: 2 }, requests: 16 };
    const source = findPoints(plan);
    const [first, second] = await measureSource(source, fakeModel(port), measuringOptions(5));
    if (first === undefined || second === undefined) throw new Error('the search measured too few points');
    const canceled = { ...second, cut: { reason: 'canceled' as const, ended: 3, planned: 16 } };
    expect(source.conclude([first, canceled], [])).toEqual(source.conclude([first], []));
    expect(source.conclude([canceled], [])).toEqual({ lines: [], isReached: false });
  });
});

test('states that the verdict of the highest or the lowest load is uncertain', () => {
  const found: Capacity = {
    ...{ end: 'noise', level: 8, interval: [4, null], bound: null, completed_req_s: null, saturatedFrom: null },
    slowdown: null,
  };
  const spent = { points: 6, requests: 600 };
  expect(capacityWords(found, findPlan, spent)[0]).toContain(
    ' It is uncertain whether 8 concurrent meets the limits, because repetitions differ too much. 6 points',
  );
  const none: Capacity = { ...found, level: null, interval: [null, 4] };
  expect(capacityWords(none, findPlan, spent)[0]).toContain(
    ' It is uncertain whether the lowest load misses the limits, because repetitions differ too much.',
  );
});

test.each<[string, Partial<Capacity>]>([
  ['8 concurrent. 6', { end: 'found', interval: [6, 9], bound: 'failures' }],
  ['about 8 concurrent. 6', { end: 'noise', interval: [6, null], bound: 'failures' }],
  ['about 8 concurrent. 9', { end: 'noise', interval: [null, 9], bound: 'failures' }],
  ['at least 8 concurrent. 8', { end: 'highest_holds', interval: [8, null] }],
  ['at least 6 concurrent. 6', { end: 'noise', interval: [6, null] }],
  ['unknown. It is uncertain whether 8 concurrent meets the limits', { end: 'noise' }],
  [
    'probably at least 8 concurrent. At the highest load up to the capacity that met the limits, the server completed 3.00 req/s.',
    { end: 'points' },
  ],
  ['below 9 concurrent. 9', { end: 'noise', level: null, interval: [null, 9] }],
  ['unknown. It is uncertain whether the lowest load', { end: 'noise', level: null }],
])('states a capacity only as far as it is certain: %s', (text, more) => {
  const base: Capacity = {
    ...{ end: 'found', level: 8, interval: [null, null], bound: null, completed_req_s: 3, saturatedFrom: null },
    slowdown: null,
  };
  const [line] = capacityWords({ ...base, ...more }, findPlan, { points: 6, requests: 600 });
  expect(line).toContain(`Capacity under tpot_mean<15, ttft_p99<5000: ${text}`);
});

test('marks an open loop as saturated if the server does not keep up', async () => {
  // Four slots of 100 ms each: 40 requests per second.
  await withFakeServer({ ttftMs: 56, itlMs: 4, tokens: 12, slots: 4 }, async (port) => {
    const at = async (reqS: number) => {
      const due_ms = Float64Array.from({ length: 80 }, (_, index) => (1000 * index) / reqS);
      return queueOf(await measureLoad(planFor(port, 80, { pace: { mode: 'open', due_ms, maxInFlight: null } })));
    };
    expect(await at(20)).toMatchObject({ grows: false });
    const over = await at(80);
    expect(over.grows).toBe(true);
    expect(over.completed_req_s ?? 0).toBeGreaterThan(30);
    expect(over.completed_req_s ?? 0).toBeLessThan(41);
  });
});

const planOf = (load: object) =>
  expandPlan({
    ...readPlan({ plan: [{ scenario: { input_tokens: 8, output_tokens: 16 }, load, requests: 16 }], warmup: 0 }),
    seed: 3,
  }).points;

test('completes the requests per second that the table shows', async () => {
  await withFakeServer({ ttftMs: 200, itlMs: 2 }, async (port) => {
    const [point] = planOf({ mode: 'rate', level: 40 });
    if (point === undefined) throw new Error('the plan is empty');
    const measured = await measurePoint(fakeModel(port), point, measuringOptions(3));
    const { completed_req_s, isSaturated } = observe(measured, findPlan.limits, true);
    expect([completed_req_s, isSaturated]).toEqual([measured.summary.throughput?.req_s, false]);
  });
});

test('counts goodput like the service does from the report', async () => {
  await withFakeServer({ ttftMs: 20, itlMs: 2, slots: 2 }, async (port) => {
    const [point] = planOf({ mode: 'concurrency', level: 4 });
    if (point === undefined) throw new Error('the plan is empty');
    const limits = { ttft_ms: 60, tpot_ms: 50 };
    const measured = await measurePoint(fakeModel(port), point, { ...measuringOptions(3), requestLimits: limits });
    // The first two requests do not wait.
    expect(measured.goodput?.good).toBeGreaterThanOrEqual(2);
    expect(measured.goodput?.good).toBeLessThan(16);
    const none = { quantization: null, gpu: null, gpuCount: null, gpuPowerLimitW: null, engine: null };
    const system = { ...none, model: 'fake-model', engineVersion: null, tensorParallel: null };
    const report = Buffer.from(JSON.stringify(toNativeReport(measured, system)));
    const [result] = readArtifact(report).results;
    const { figures } = recompute(result?.requests ?? [], result?.limits ?? null, {});
    const served = figures.find(({ name }) => name === 'goodput_req_s');
    expect(served?.value).toBeGreaterThan(0);
    expect(served?.value ?? 0).toBeCloseTo(measured.goodput?.req_s ?? 0, 2);
  });
});

test('repeats each point until its metrics are stable, up to a maximum', async () => {
  await withFakeServer({ ttftMs: 20, itlMs: 4 }, async (port) => {
    const points = [...planOf({ mode: 'concurrency', level: 1 }), ...planOf({ mode: 'concurrency', level: 2 })];
    const wide = repeatedPoints(points, { ci: 0.5, max: 5 });
    const few = await measureSource(wide, fakeModel(port), measuringOptions(3));
    expect(few.map(({ point }) => point.repetition)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(new Set(few.map(({ point }) => point.key)).size).toBe(6);
    expect(wide.conclude(few, [])).toMatchObject({
      isReached: true,
      lines: [
        expect.stringMatching(/^8-16, single request: 3 repetitions: ±[\d.]+ % at 95 % \(.*\)\.$/),
        expect.stringContaining('2 concurrent: 3 repetitions'),
      ],
    });
    const tight = repeatedPoints(points.slice(0, 1), { ci: 1e-9, max: 4 });
    const many = await measureSource(tight, fakeModel(port), measuringOptions(3));
    expect(many).toHaveLength(4);
    expect(tight.conclude(many, []).isReached).toBe(false);
    expect(tight.conclude(many, []).lines[0]).toMatch(/^! .* 4 repetitions: .*, wider than the ±1e-7 % of --until/);
  });
});
