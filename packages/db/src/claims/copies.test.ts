import { randomUUID } from 'node:crypto';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { listResultsBySubmission } from '../submissions/result-list.ts';
import { retractSubmission } from '../submissions/submission-retract.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';

const { database, accountId, insert, submissionOf, statisticsRows } = useUploads();

let accounts = 0;
async function second(registeredItself = false): Promise<string> {
  accounts += 1;
  return (await insertAccount(database().db, `second ${accounts}`, { registeredItself }))?.id ?? '';
}

const run = {
  output_tok_s: 512.37,
  ttft_ms_mean: 83.412,
  ttft_ms_p50: 80.93,
  tpot_ms_mean: 14.8235,
  tpot_ms_p50: 14.2219,
  ttft_ms_p99: 141.77,
};
const scaled = (factor: number, digits = 6) =>
  Object.fromEntries(Object.entries(run).map(([name, value]) => [name, Number((value * factor).toPrecision(digits))]));
const resultWith = (metrics: Record<string, number>, system: Record<string, unknown> = {}) =>
  resultsOf([{ metrics }], { engine: { name: 'vllm', version: '0.9' }, ...system });

const stored = async (id: string) => listResultsBySubmission(database().db, id);

async function copyOf(results: CheckedResult[], account?: string) {
  const { id } = await insert(results, { accountId: account ?? (await second()) });
  const [row] = await stored(id);
  return row;
}

test.each<[string, Record<string, number>, Record<string, unknown>]>([
  ['the same figures', scaled(1), {}],
  ['under another label', scaled(1), { gpu_power_limit_w: 450 }],
  ['all figures 0.05 % higher', scaled(1.0005), {}],
  ['all figures 3 % lower with another GPU count', scaled(0.97), { gpu_count: 2 }],
  ['rounded', scaled(1, 4), {}],
])('detects %s from another account as a copy, which is not counted', async (_, metrics, system) => {
  const first = await insert(resultWith(run));
  const row = await copyOf(resultWith(metrics, system));
  expect(row).toMatchObject({ copy_of: (await stored(first.id))[0]?.id, trust: 'self_reported' });
  expect(row?.findings.map(({ code }) => code)).toContain('copied_artifact');
  expect(await statisticsRows()).toMatchObject([
    { account_id: accountId(), trust: 'self_reported', replication: null },
  ]);
});

test('does not detect honest runs as copies', async () => {
  await insert(resultWith(run));
  const noisy = Object.fromEntries(
    Object.entries(run).map(([name, value], place) => [name, value * (1 + 0.004 * Math.sin(7 * place + 1))]),
  );
  expect(await copyOf(resultWith(noisy))).toMatchObject({ copy_of: null });
});

test('does not detect a ranked claim as a copy of a result of a new account', async () => {
  const newcomer = await second(true);
  const early = await insert(resultWith(run), { accountId: newcomer });
  expect((await stored(early.id))[0]).toMatchObject({ status: 'provisional', copy_of: null });
  expect(await copyOf(resultWith(run), accountId())).toMatchObject({ status: 'accepted', copy_of: null });
  // A new account's result copies either of them.
  expect(await copyOf(resultWith(scaled(1.0005)), await second(true))).toMatchObject({ copy_reason: 'figures' });
});

test('detects console text and JSON of one run, and separates another run', async () => {
  const first = await insert(resultWith(run));
  const again = await insert(resultWith(scaled(1, 4)));
  expect((await stored(again.id))[0]).toMatchObject({
    copy_of: (await stored(first.id))[0]?.id,
    copy_reason: 'same_run',
  });
  await insert(resultWith(scaled(1.01)));
  expect(await statisticsRows()).toMatchObject([{ results: 2, runs: 2 }]);
  // The other form counts once the first is retracted.
  await retractSubmission(database().db, first.id, 'sent twice');
  const accepted = (await statisticsRows()).filter(({ status }) => status === 'accepted');
  expect(accepted).toMatchObject([{ results: 2 }]);
  expect((await stored(again.id))[0]).toMatchObject({ copy_of: null, copy_reason: null, findings: [] });
});

describe('copies of one artifact', () => {
  /** Submits the same bytes from another account. */
  function sender() {
    const { artifact } = submissionOf([]);
    return async (results: CheckedResult[], account = accountId()) => {
      const { id } = await insert(results, { accountId: account, artifact, fingerprint: randomUUID() });
      const [row] = await stored(id);
      return { id, result: row?.id, copyOf: row?.copy_of };
    };
  }
  const held = () => resultWith(run).map((result): CheckedResult => ({ ...result, status: 'quarantined' }));

  test('after a retraction, the next one is the original for copies by figures', async () => {
    const send = sender();
    const first = await send(resultWith(run));
    const next = await send(resultWith(run), await second());
    expect(next.copyOf).toBe(first.result);
    await retractSubmission(database().db, first.id, 'a mistake');
    expect((await stored(next.id))[0]).toMatchObject({ copy_of: null });
    expect(await copyOf(resultWith(scaled(1.0005)))).toMatchObject({ copy_of: next.result, copy_reason: 'figures' });
  });

  test('after a retraction, the same run in another form is the original for copies by figures', async () => {
    const first = await insert(resultWith(run));
    const again = await insert(resultWith(scaled(1, 4)));
    await retractSubmission(database().db, first.id, 'sent twice');
    const [counted] = await stored(again.id);
    expect(await copyOf(resultWith(scaled(1, 4), { gpu_power_limit_w: 450 }))).toMatchObject({ copy_of: counted?.id });
  });

  test('a ranked result is not a copy of a quarantined one, which becomes a copy when it ranks', async () => {
    const send = sender();
    const first = await send(held());
    const ranked = await send(resultWith(run), await second());
    expect(ranked.copyOf).toBeNull();
    expect((await send(held(), await second())).copyOf).toBe(first.result);
    await database().sql`update results set status = 'accepted' where id = ${first.result ?? ''}`;
    expect((await send(resultWith(run, { gpu_count: 2 }), await second())).copyOf).toBe(first.result);
  });
});
