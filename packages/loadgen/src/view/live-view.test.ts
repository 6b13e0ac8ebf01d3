import { stripVTControlCharacters } from 'node:util';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { expect, test } from 'vitest';
import type { RequestRecord } from '../measure/measure-load.ts';
import { createLiveView } from './live-view.ts';

const point: PlanPoint = {
  key: 'own/concurrency:2/1',
  scenario: { id: '64-16', inputTokens: 64, outputTokens: 16, dataset: null } as PlanPoint['scenario'],
  load: { mode: 'concurrency', level: 2 },
  ...{ repetition: 1, requests: 100, warmup: 0, seed: 1, durationMaxS: null },
};

const ended = (count: number) =>
  Array.from({ length: count }, () => ({
    ...{ outcome: 'ok', started_ms: 0, chunks_ms: Float64Array.of(20, 22, 24) },
  })) as RequestRecord[];

function look(columns: number | null, hasColors = false) {
  let text = '';
  let time = 0;
  const screen = {
    ...{ columns, hasColors },
    write: (piece: string) => {
      text += piece;
    },
  };
  const view = createLiveView(screen, () => time);
  view.expect({ points: 2, requests: 200 });
  const { onProgress, onEnded } = view.begin(point);
  const tick = (ms: number, done: number, failed = 0, requests = point.requests) => {
    time += ms;
    onProgress({ done, failed, in_flight: 2, tokens: 3 * done }, requests);
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { view, tick, pass, onEnded: (count: number) => onEnded(ended(count)), end: onEnded, text: () => text };
}

test('a terminal shows counts, rates, supported percentiles and the time left', () => {
  const { tick, onEnded, text, view } = look(80);
  tick(0, 0);
  onEnded(40);
  tick(2000, 40);
  const last = text().split('\x1b[J').at(-1);
  expect(last?.split('\n')).toEqual([
    'Point 1 of 2: 64-16, 2 concurrent',
    '[#####...................] 40 of 100 requests, 2 in flight, 8 s left',
    '  60 tok/s, 20 req/s',
    expect.stringMatching(/^ {2}TTFT p50 (19\.9|20)\S* ms, p90 \S+ ms$/),
    expect.stringMatching(/^ {2}ITL p50 \S+ ms, p90 \S+ ms, p95 \S+ ms$/),
    expect.stringMatching(/^ {2}E2E p50 /),
    '',
  ]);
  view.clear();
  expect(text().endsWith('\x1b[6F\x1b[J')).toBe(true);
});

test('failed requests are counted by kind', () => {
  const failed = (outcome: RequestRecord['outcome'], count: number) =>
    Array.from({ length: count }, () => ({ outcome, started_ms: 0, chunks_ms: new Float64Array() })) as RequestRecord[];
  const [terminal, log] = [look(100), look(null)];
  for (const { tick, end } of [terminal, log]) {
    tick(0, 0);
    end([...failed('timeout', 1), ...failed('http_5xx', 3)]);
    tick(6000, 4, 4);
  }
  expect(terminal.text().split('\x1b[J').at(-1)?.split('\n').slice(1)).toEqual([
    '[#.......................] 8 of 100 requests, 2 in flight, 4 failed, 2 min 24 s left',
    '  2 tok/s, 1.333 req/s',
    '  failed: 3 http 5xx, 1 timeout',
    '',
  ]);
  expect(log.text()).toContain(': 8 of 100 requests, 2 in flight, 4 failed (3 http 5xx, 1 timeout); ');
});

test('a narrow terminal omits whole figures and cuts none', () => {
  const shownAt = (columns: number) => {
    const { tick, onEnded, text } = look(columns, true);
    tick(0, 0);
    onEnded(40);
    tick(2000, 40, 2);
    expect(text()).toContain('\x1b[31m2 failed');
    const lines = stripVTControlCharacters(text().split('\x1b[J').at(-1) ?? '').split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(columns);
    return lines.slice(0, 5);
  };
  const p50 = String.raw`p50 \d\S* ms`;
  expect(shownAt(60)).toEqual([
    'Point 1 of 2: 64-16, 2 concurrent',
    '42 of 100 requests, 2 in flight, 2 failed, 8 s left',
    '  60 tok/s, 21 req/s',
    expect.stringMatching(`^  TTFT ${p50}, p90 \\S+ ms$`),
    expect.stringMatching(`^  ITL ${p50}, p90 \\S+ ms, p95 \\S+ ms$`),
  ]);
  expect(shownAt(32)).toEqual([
    'Point 1 of 2: 64-16',
    '42 of 100 requests, 2 failed',
    '  60 tok/s, 21 req/s',
    expect.stringMatching(`^  TTFT ${p50}(, p90 \\S+ ms)?$`),
    expect.stringMatching(`^  ITL ${p50}(, p90 \\S+ ms)?$`),
  ]);
});

test('a log has one line every five seconds, without control characters', () => {
  const { tick, onEnded, text } = look(null);
  onEnded(10);
  for (let at = 0; at < 60; at++) tick(200, at, 1);
  const lines = text().trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^\[1\/2\] 64-16, 2 concurrent: 25 of 100 requests, 2 in flight, 1 failed; \S+ tok\/s, \S+ req\/s; TTFT p50 \S+ ms; ITL p50 \S+ ms; \d+ s left$/,
  );
  expect(text()).not.toContain('\x1b');
});

test('a search shows no total of points', () => {
  const { tick, text, view } = look(80);
  view.expect({ points: null, requests: 100 });
  tick(1000, 50);
  expect(text()).toMatch(/^Point 1: 64-16, 2 concurrent\n\[#{12}\.{12}\] /);
});

test('turns of conversations count as requests', () => {
  const { tick, text } = look(80);
  tick(0, 0, 0, 2 * point.requests);
  tick(1000, 100, 0, 2 * point.requests);
  expect(text()).toContain('[######..................] 100 of 200 requests, 2 in flight, 3 s left');
});

test('the time left is that of measured requests, without the time before and between points', () => {
  const { tick, pass, text, view } = look(80);
  const shown = () => text().split('\x1b[J').at(-1) ?? '';
  // The warm-up takes a minute.
  tick(60_000, 0);
  tick(500, 50);
  expect(shown()).not.toContain('left');
  tick(500, 80);
  expect(shown()).toContain('80 of 100 requests, 2 in flight, 2 s left');
  // Calibration of the next point takes another minute.
  const next = view.begin(point);
  pass(60_000);
  next.onProgress({ done: 0, failed: 0, in_flight: 2, tokens: 0 }, point.requests);
  pass(1000);
  next.onProgress({ done: 60, failed: 0, in_flight: 2, tokens: 0 }, point.requests);
  // 140 requests took 2 s.
  expect(shown()).toContain('60 of 100 requests, 2 in flight, 2 s left');
});

test('shows no time left before as many requests ended as are in flight', () => {
  const { tick, text } = look(80);
  tick(0, 0);
  tick(5000, 1);
  expect(text()).not.toContain('left');
  tick(5000, 2);
  expect(text()).toContain('16 min 30 s left');
});
