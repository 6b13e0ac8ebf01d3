import { expect, test } from 'vitest';
import { startFakeServer } from '../../fake-server/fake-server.ts';
import { measureLoad } from '../measure-load.ts';
import type { LoadPlan } from '../plan.ts';
import { summariseLoad } from '../records/summarise-load.ts';
import { bodyOf, planFor } from '../testing/plans.ts';
import { sharePlan, shareRows } from './divide.ts';
import { mergeRecords } from './merge-records.ts';

const bodies = Array.from({ length: 40 }, (_, index) => bodyOf(12, { user: `request ${index}` }));

/** Measures a plan as two shares with a common start, and joins their records. */
async function measureShared(over: Partial<LoadPlan>) {
  const server = await startFakeServer({ ttftMs: 10, itlMs: 2 }, { isSilent: true, keepsRequests: true });
  try {
    const plan = planFor(server.port, 40, { bodies, ...over });
    const start = Number(process.hrtime.bigint()) / 1e6 + 1500;
    const [first, second] = await Promise.all(
      [0, 1].map(async (share) => ({
        record: await measureLoad(sharePlan(plan, share, 2), { startAt: async () => start }),
        rows: shareRows(plan, share, 2),
      })),
    );
    if (first === undefined || second === undefined) throw new Error('there are two shares');
    const sent = server.answers.map(({ request }) => request?.body ?? '');
    return { record: mergeRecords([first, second]), parts: [first.record, second.record], sent, start };
  } finally {
    await server.close();
  }
}

test('two shares of a closed loop are one record in the order of the plan', async () => {
  const { record, parts, sent, start } = await measureShared({ pace: { mode: 'closed', concurrency: 4 } });
  expect(sent.toSorted()).toEqual(bodies.toSorted());
  expect(record.requests.map(({ index }) => index)).toEqual(bodies.map((_, index) => index));
  expect(parts.map(({ requests }) => requests.length)).toEqual([20, 20]);
  expect(summariseLoad(record)).toMatchObject({ requests: 40, by_outcome: { ok: 40 }, output_tokens: 480 });
  expect(record.self).toMatchObject({ threads: 2, connections_opened: 4 });
  for (const part of parts) expect(part.started_at_monotonic_ms).toBe(start);
  expect(record.started_at_unix_ms).toBeCloseTo(Date.now() - (Number(process.hrtime.bigint()) / 1e6 - start), -2);
});

test('two shares of a schedule keep its due times', async () => {
  const due_ms = Float64Array.from(bodies, (_, place) => 10 * place);
  const { record } = await measureShared({ pace: { mode: 'open', due_ms, maxInFlight: null } });
  expect(record.requests.map((request) => request.due_ms)).toEqual(Array.from(due_ms));
  expect(summariseLoad(record)).toMatchObject({ by_outcome: { ok: 40 } });
  for (const { due_ms: due, started_ms } of record.requests) expect(started_ms).toBeGreaterThanOrEqual(due ?? 0);
});
