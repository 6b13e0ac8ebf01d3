import type { Trust } from '@inferboard/core/subjects/result';
import { beforeEach, describe, expect, test } from 'vitest';
import { transact } from '../connection/transaction.ts';
import { decideConcern } from '../reviews/concern-decide.ts';
import { findConcern } from '../reviews/concern-find.ts';
import { insertConcern } from '../reviews/concern-insert.ts';
import { retractSubmission } from '../submissions/submission-retract.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { findAccount, insertAccount } from './account.ts';
import { judgeStanding, promoteAccounts, vouchForAccount, withdrawVouch } from './account-standing.ts';

// A self-registered account ranks once it meets the thresholds, and stops ranking once a report about it is upheld.

const { database, accountId, insert } = useUploads();
const db = () => database().db;
const now = new Date();
const rules = { now, establishedAfterDays: 14 };
let account = '';
let admin = '';

beforeEach(async () => {
  await database().sql`delete from accounts where registered_itself`;
  admin = accountId();
  account = await register('newcomer', 20);
});

/** Creates a self-registered account of the given age in days. */
async function register(name: string, days: number): Promise<string> {
  const made = await insertAccount(db(), name, { registeredItself: true });
  if (made === null) throw new Error(`there is an account ${name}`);
  await database().sql`update accounts set created_at = now() - make_interval(days => ${days}) where id = ${made.id}`;
  return made.id;
}

let speed = 100;

/** Creates a submission of the account, with or without request records, on a UTC day in the past. */
async function submit(
  daysAgo: number,
  { trust = 'recomputed', by = account, status = 'accepted' }: { trust?: Trust; by?: string; status?: string } = {},
) {
  speed += 7;
  const results = resultsOf([{ metrics: { output_tok_s: speed } }]).map((result) => ({ ...result, trust }));
  const { id } = await insert(results, { accountId: by });
  const { sql } = database();
  await sql`update submissions set created_at = now() - make_interval(days => ${daysAgo}), status = ${status} where id = ${id}`;
  if (status !== 'accepted') await sql`update results set status = ${status} where submission_id = ${id}`;
  return id;
}

const judge = (id = account, judging = rules) => transact(db(), (tx) => judgeStanding(tx, id, judging));
const standing = async (id = account) => (await findAccount(db(), id))?.standing;

async function report(submissionId: string, decision: 'upheld' | 'dismissed') {
  const id = await insertConcern(db(), {
    ...{ submissionId, reporter: { accountId: admin }, reason: 'other', text: 'It cannot be.' },
  });
  const seen = await findConcern(db(), id ?? '', { accountId: admin, isAdmin: true });
  if (seen === null) throw new Error('the concern is not there');
  const decided = { decision, note: 'Looked at.', action: 'none' as const, accountId: admin };
  expect(await decideConcern(db(), seen, decided)).toBe('decided');
}

describe('a self-registered account', () => {
  test('is new, and established after three submissions with records on two days', async () => {
    expect(await standing()).toBe('new');
    await submit(2);
    await submit(2);
    expect(await judge()).toEqual({ before: 'new', after: 'new' });
    await submit(1);
    expect(await judge()).toEqual({ before: 'new', after: 'established' });
    expect(await standing()).toBe('established');
    expect(await judge()).toEqual({ before: 'established', after: 'established' });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['on one day', async () => [await submit(1), await submit(1), await submit(1)]],
    [
      'of which one has no records',
      async () => [await submit(3), await submit(2), await submit(1, { trust: 'self_reported' })],
    ],
    [
      'of which one is quarantined',
      async () => [await submit(3), await submit(2), await submit(1, { status: 'quarantined' })],
    ],
    [
      'of which one was retracted',
      async () => {
        await Promise.all([submit(3), submit(2)]);
        await retractSubmission(db(), await submit(1), 'a mistake');
      },
    ],
    [
      'of which two are of another account',
      async () => [await submit(3), await submit(2, { by: admin }), await submit(1, { by: admin })],
    ],
    [
      'of which one is a copy',
      async () => {
        const [first, copy] = [await submit(3), await submit(2)];
        await submit(1);
        await database()
          .sql`update results set copy_of = (select id from results where submission_id = ${first}) where submission_id = ${copy}`;
      },
    ],
  ])('is not established by three submissions %s', async (_, send) => {
    await send();
    expect(await judge()).toEqual({ before: 'new', after: 'new' });
  });

  test('is established at the age set by the operator, and not earlier', async () => {
    const young = await register('young', 13);
    for (const day of [1, 2, 3]) await submit(day, { by: young });
    expect(await judge(young)).toMatchObject({ after: 'new' });
    expect(await judge(young, { now: new Date(), establishedAfterDays: 13 })).toMatchObject({ after: 'established' });
    const fresh = await register('fresh', 0);
    for (const day of [0, 1, 2]) await submit(day, { by: fresh });
    expect(await judge(fresh, { now: new Date(), establishedAfterDays: 0 })).toMatchObject({ after: 'established' });
  });

  test('is new again after an upheld report, but not after a dismissed one, regardless of its results', async () => {
    const first = await submit(3);
    for (const day of [2, 1]) await submit(day);
    await judge();
    await report(first, 'dismissed');
    expect(await judge()).toEqual({ before: 'established', after: 'established' });
    await report(first, 'upheld');
    expect(await judge()).toEqual({ before: 'established', after: 'new' });
  });
});

describe('an account vouched for by an admin', () => {
  test('remains so, regardless of its results and of upheld reports', async () => {
    const id = await submit(1);
    const done: string[] = [];
    const vouch = () =>
      vouchForAccount(db(), account, {
        vouchedBy: admin,
        onChanged: async (_, changed, after) => void done.push(`${changed === account} ${after}`),
      });
    expect(await vouch()).toMatchObject({ id: account, standing: 'vouched' });
    await vouch();
    expect(done).toEqual(['true vouched']);
    await report(id, 'upheld');
    expect(await judge()).toEqual({ before: 'vouched', after: 'vouched' });
    expect(await promoteAccounts(db(), { ...rules, onChanged: async () => {} })).toEqual([]);
  });

  test('is judged by its results after the vouch is withdrawn', async () => {
    const seen: string[] = [];
    const withdraw = () =>
      withdrawVouch(db(), account, { ...rules, onChanged: async (_, __, after) => void seen.push(after) });
    const vouch = () => vouchForAccount(db(), account, { vouchedBy: admin, onChanged: async () => {} });
    await vouch();
    expect(await withdraw()).toMatchObject({ standing: 'new' });
    for (const day of [1, 2, 3]) await submit(day);
    await vouch();
    expect(await withdraw()).toMatchObject({ standing: 'established' });
    expect(await withdraw()).toMatchObject({ standing: 'established' });
    expect(seen).toEqual(['new', 'established']);
  });

  test('is the default for accounts created by an admin', async () => {
    expect(await standing(admin)).toBe('vouched');
  });

  test('must exist', async () => {
    expect(await vouchForAccount(db(), 'acc_none', { vouchedBy: admin, onChanged: async () => {} })).toBeNull();
    expect(await withdrawVouch(db(), 'acc_none', { ...rules, onChanged: async () => {} })).toBeNull();
  });
});

describe('promoting all accounts', () => {
  test('changes established accounts and those with an upheld report, each once', async () => {
    const fallen = await register('fallen', 30);
    const bad = await submit(3, { by: fallen });
    for (const day of [2, 1]) await submit(day, { by: fallen });
    await register('silent', 30);
    await judge(fallen);
    await report(bad, 'upheld');
    for (const day of [1, 2, 3]) await submit(day);
    const changes: [string, string][] = [];
    const promote = () =>
      promoteAccounts(db(), { ...rules, onChanged: async (_, id, after) => void changes.push([id, after]) });
    const both = await Promise.all([promote(), promote()]);
    const expected = [
      [account, 'established'],
      [fallen, 'new'],
    ].sort();
    expect(changes.toSorted()).toEqual(expected);
    expect(
      both
        .flat()
        .map(({ accountId: id, after }) => [id, after])
        .sort(),
    ).toEqual(expected);
    expect(await promote()).toEqual([]);
  });

  test('keeps the standing of an account if a callback fails', async () => {
    for (const day of [1, 2, 3]) await submit(day);
    const failing = promoteAccounts(db(), { ...rules, onChanged: () => Promise.reject(new Error('not now')) });
    await expect(failing).rejects.toThrow('not now');
    expect(await standing()).toBe('new');
  });
});
