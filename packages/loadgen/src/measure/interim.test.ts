import { expect, test } from 'vitest';
import { withFakeServer } from '../fake-server/testing/with-fake-server.ts';
import { createInterimReader, InterimQueue } from './interim.ts';
import { measureLoad } from './measure-load.ts';
import type { RequestRecord } from './records/load-record.ts';
import { createTable, outcomeIndex } from './records/request-table.ts';
import { planFor } from './testing/plans.ts';

test('reports each finished request once, as in the result', async () => {
  const seen: RequestRecord[] = [];
  const record = await withFakeServer(
    { ttftMs: 20, itlMs: 5, fault: { kind: 'status_500', every: 7, at: 0 } },
    (port) => measureLoad(planFor(port, 120, { threads: 2 }), { onEnded: (requests) => void seen.push(...requests) }),
  );
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThanOrEqual(120);
  expect(new Set(seen.map(({ index }) => index)).size).toBe(seen.length);
  for (const early of seen) expect(early).toEqual(record.requests[early.index]);
  expect(new Set(seen.map(({ outcome }) => outcome))).toEqual(new Set(['ok', 'http_5xx']));
});

test('reads a report in slices, because the measuring thread may share the core', async () => {
  const count = 400_000;
  const rows = 400;
  const table = createTable(rows);
  table.counts.outcome.fill(outcomeIndex.ok);
  const slices: RequestRecord[][] = [];
  const queue = new InterimQueue(createInterimReader(table, {}), (requests) => void slices.push(requests));
  queue.add({
    rows: Uint32Array.from({ length: count }, (_, at) => at % rows),
    stamps: Float64Array.from({ length: count }, (_, at) => at),
    ended: Array.from({ length: rows }, (_, row) => row),
    words: [],
  });
  expect(slices.flat().length).toBeLessThan(rows);
  await expect.poll(() => slices.flat().length).toBe(rows);
  expect(slices.length).toBeGreaterThan(1);
  expect([...(slices.flat()[7]?.chunks_ms ?? [])].slice(0, 3)).toEqual([7, 407, 807]);
});
