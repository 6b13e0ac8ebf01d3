import { expect, test } from 'vitest';
import { addToTimeline, seriesOf, startTimeline, type TimedPoint, timelineOf } from './timeline.ts';

const startedUnixMs = 1_750_000_000_000;

/** One request per second with ten tokens in one chunk after 100 ms, and one reading per second. */
function pointOf(seconds: number, fromS = 0): TimedPoint {
  const times = Array.from({ length: seconds }, (_, second) => second);
  return {
    startedUnixMs: startedUnixMs + fromS * 1000,
    requests: times.map((sentS) => ({ sentS, ttftMs: 100, gapsMs: [], outputTokens: 10, error: null })),
    samples: times.map((second) => ({
      unixMs: startedUnixMs + (fromS + second) * 1000,
      values: { running: 2, waiting: second % 2, kv_cache_share: 0.25, preemptions: fromS + second },
    })),
  };
}

const find = (series: ReturnType<typeof seriesOf>, name: string) => series.find((one) => one.name === name);

test('has one time axis for throughput, TTFT and readings, with null for missing samples', () => {
  const timeline = addToTimeline(startTimeline(startedUnixMs), pointOf(3));
  const series = seriesOf(timeline);
  expect(timeline.binS).toBe(0.5);
  expect(find(series, 'output_tok_s')).toEqual({
    ...{ name: 'output_tok_s', unit: 'tok/s', n: 3 },
    values: [20, null, 20, null, 20],
  });
  expect(find(series, 'ttft_ms')?.values).toEqual([100, null, 100, null, 100]);
  expect(find(series, 'waiting')?.values).toEqual([0, null, 1, null, 0]);
  expect(find(series, 'kv_cache_share')).toMatchObject({ unit: 'share', n: 3 });
});

test('excludes the latency and tokens of a failed request', () => {
  const failed = { sentS: 0, ttftMs: null, gapsMs: null, outputTokens: null, error: 'timeout' };
  const timeline = addToTimeline(startTimeline(startedUnixMs), { ...pointOf(1), requests: [failed] });
  expect(find(seriesOf(timeline), 'ttft_ms')?.n).toBe(0);
});

test('has at most 240 bins for a long run, with the same totals', () => {
  const points = Array.from({ length: 50 }, (_, place) => pointOf(100, place * 110));
  const timeline = points.reduce(addToTimeline, startTimeline(startedUnixMs));
  const series = seriesOf(timeline);
  for (const { values } of series) expect(values.length).toBeLessThanOrEqual(240);
  expect(timeline.binS).toBe(32);
  const tokens = (find(series, 'output_tok_s')?.values ?? []).reduce<number>((sum, rate) => sum + (rate ?? 0), 0) * 32;
  expect(tokens / 50_000).toBeCloseTo(1, 3);
  expect(find(series, 'running')?.n).toBe(5000);
  expect(new Set(find(series, 'running')?.values)).toEqual(new Set([2]));
  expect(find(series, 'preemptions')?.values.at(-1)).toBe(49 * 110 + 99);
  expect(JSON.stringify(timeline).length).toBeLessThan(20_000);
});

test('begins with the first point that has readings, in the order of time', () => {
  expect(timelineOf([])).toBe(null);
  expect(timelineOf([{ ...pointOf(2), samples: [] }])).toBe(null);
  const timeline = timelineOf([pointOf(2, 10), pointOf(2, 4), { ...pointOf(2), samples: [] }]);
  expect(timeline?.startedUnixMs).toBe(startedUnixMs + 4000);
  expect(timeline === null ? [] : find(seriesOf(timeline), 'running')?.values).toHaveLength(15);
});

test('has the readings of GPUs with their units', () => {
  const values = { power_w: 400, sm_clock_mhz: 1695, gpu_use_percent: 65, gpu_memory_gib: 69.5 };
  const timeline = timelineOf([{ ...pointOf(1), samples: [{ unixMs: startedUnixMs, values }] }]);
  const units = (timeline === null ? [] : seriesOf(timeline)).slice(2).map(({ name, unit }) => [name, unit]);
  expect(units).toEqual([
    ['power_w', 'W'],
    ['sm_clock_mhz', 'MHz'],
    ['gpu_use_percent', '%'],
    ['gpu_memory_gib', 'GiB'],
  ]);
});
