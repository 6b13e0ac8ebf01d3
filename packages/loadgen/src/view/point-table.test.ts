import { expect, test } from 'vitest';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { formatTable } from './point-table.ts';

const point = (level: number) =>
  ({
    point: {
      scenario: { id: '50-20', inputTokens: 50, outputTokens: 20 },
      load: { mode: 'concurrency', level },
      repetition: 1,
    },
    summary: {
      requests: level + 1,
      by_outcome: { ok: level, disconnected: 1, cancelled: 0 },
      latencies: { ttft_from_sent: null, itl_per_chunk: null, tpot_per_token: null, e2e_from_sent: null },
      throughput: { req_s: level, output_tok_s: 20 * level },
    },
    record: {},
    goodput: null,
  }) as unknown as MeasuredPoint; // the table reads no more

const points = [2, 4, 8, 16, 32].map(point);

test('has a row for each point at a wide terminal and in a file', () => {
  for (const columns of [null, 200]) {
    const lines = formatTable(points, columns).split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[5]).toMatch(/^50-20 +32 concurrent +32 +1 .* 32\.00 +640\.0$/);
  }
});

test.each([60, 80])('has a column for each point at a terminal of %s columns, and lines that fit', (columns) => {
  const lines = formatTable(points, columns).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  const loads = lines.filter((line) => line.startsWith('load')).map((line) => line.match(/\d+(?= concurrent)/g));
  expect(loads.flat()).toEqual(['2', '4', '8', '16', '32']);
  const tokens = lines
    .filter((line) => line.startsWith('output tok/s'))
    .map((line) => line.match(/[\d.]+$|[\d.]+(?= )/g));
  expect(tokens.flat()).toEqual(['40.0', '80.0', '160.0', '320.0', '640.0']);
});

test('shows a point that is wider than the terminal', () => {
  expect(formatTable(points.slice(0, 1), 10)).toMatch(/^load +2 concurrent$/m);
});
