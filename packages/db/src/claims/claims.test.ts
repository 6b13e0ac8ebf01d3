import type { Trust } from '@inferboard/core/subjects/result';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { transact } from '../connection/transaction.ts';
import { applyStanding, continueStandings } from '../points/apply-standing.ts';
import { listResultsBySubmission } from '../submissions/result-list.ts';
import { retractSubmission } from '../submissions/submission-retract.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';

const { database, accountId, insert, statisticsRows, refreshAll } = useUploads();

let accounts = 0;
async function stranger(): Promise<string> {
  accounts += 1;
  return (await insertAccount(database().db, `stranger ${accounts}`))?.id ?? '';
}

const measured = (values: readonly number[], trust: Trust = 'self_reported') =>
  resultsOf(values.map((output_tok_s) => ({ metrics: { output_tok_s } }))).map((result) => ({ ...result, trust }));

/** The stored claims of an account, without what other accounts' claims change. */
async function claimsOf(account: string) {
  const rows = await statisticsRows();
  return rows
    .filter(({ account_id }) => account_id === account)
    .map(({ trust, stands, disputed, replication, updated_at, ...own }) => own);
}

async function standing() {
  const rows = (await statisticsRows()).filter(({ stands }) => stands);
  return rows.map(({ account_id, output_tok_s, results, trust, disputed }) => ({
    ...{ account_id, output_tok_s, results, trust, disputed },
  }));
}

const values = fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 1, maxLength: 4 });

test('never changes the metrics of another account at the same point', async () => {
  const other = await stranger();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), values), { minLength: 1, maxLength: 4 }), async (uploads) => {
      for (const [isOther, of] of uploads) {
        const beside = isOther ? accountId() : other;
        const before = await claimsOf(beside);
        await insert(measured(of), isOther ? { accountId: other } : {});
        expect(await claimsOf(beside)).toEqual(before);
      }
    }),
    { numRuns: 12 },
  );
});

describe('a point with the value 500', () => {
  test('keeps its value if another account adds results with less trust', async () => {
    await insert(measured([500], 'recomputed'));
    const other = await stranger();
    await insert(measured(Array.from({ length: 300 }, (_, at) => 50 + at / 100)), { accountId: other });
    await insert(measured(Array.from({ length: 3000 }, (_, at) => 900 + at / 1000)), { accountId: other });
    expect(await standing()).toEqual([
      { account_id: accountId(), output_tok_s: 500, results: 1, trust: 'recomputed', disputed: true },
    ]);
    const [row] = (await statisticsRows()).filter(({ stands }) => stands);
    expect(row?.replication).toMatchObject({ replicated: [], agreeing: 0, disagreeing: 1 });
  });

  test('is replicated by a second account with three runs, but not by a false claim', async () => {
    const [second, liar] = [await stranger(), await stranger()];
    await insert(measured([500, 501, 502]));
    await insert(measured([504, 505, 506]), { accountId: second });
    const lie = await insert(measured([900, 901, 902, 903]), { accountId: liar });
    const trusts = (await statisticsRows()).map(({ account_id, trust }) => [account_id, trust]);
    expect(Object.fromEntries(trusts)).toEqual({
      [accountId()]: 'replicated',
      [second]: 'replicated',
      [liar]: 'self_reported',
    });
    const rows = await database().sql`select distinct trust from results where submission_id = ${lie.id}`;
    expect(rows).toEqual([{ trust: 'self_reported' }]);
  });

  test('gets that of the next claim after a retraction', async () => {
    const other = await stranger();
    const first = await insert(measured([500]));
    await insert(measured([400]), { accountId: other });
    expect(await standing()).toMatchObject([{ output_tok_s: 500 }]);
    await retractSubmission(database().db, first.id, 'a mistake');
    expect((await standing()).map(({ output_tok_s }) => output_tok_s).sort()).toEqual([400, 500]);
    const accepted = (await statisticsRows()).filter(({ status }) => status === 'accepted');
    expect(accepted).toMatchObject([{ account_id: other, stands: true, disputed: false, replication: null }]);
  });
});

test('prefers a claim with records to a stated one of the same account, and does not pool them', async () => {
  await insert(measured([100, 101, 102]));
  await insert(measured([200], 'recomputed'));
  expect(await standing()).toMatchObject([{ output_tok_s: 200, results: 1, trust: 'recomputed', disputed: false }]);
});

test('recomputes claims to those stored by successive uploads', async () => {
  const others = [await stranger(), await stranger()];
  for (const [at, value] of [100, 102, 150, 101, 99, 103].entries()) {
    await insert(measured([value, value + 1], at % 2 === 0 ? 'recomputed' : 'self_reported'), {
      accountId: [accountId(), ...others][at % 3] ?? '',
    });
  }
  const withoutTime = async () => (await statisticsRows()).map(({ updated_at, ...row }) => JSON.stringify(row)).sort();
  const before = await withoutTime();
  const trusts = () => database().sql`select id, trust from results order by id`;
  const expected = await trusts();
  await refreshAll();
  expect(await withoutTime()).toEqual(before);
  expect(await trusts()).toEqual(expected);
});

describe('a new account', () => {
  const newcomer = async () => {
    accounts += 1;
    const name = `newcomer ${accounts}`;
    return (await insertAccount(database().db, name, { registeredItself: true }))?.id ?? '';
  };
  const statuses = async (id: string) =>
    (await listResultsBySubmission(database().db, id)).map(({ status, findings }) => [
      status,
      ...findings.map(({ code }) => code),
    ]);

  test('has provisional results, which rank after an admin vouches for it', async () => {
    await insert(measured([500]));
    const account = await newcomer();
    const { id } = await insert(measured([510, 511, 512]), { accountId: account });
    expect(await statuses(id)).toEqual([['provisional'], ['provisional'], ['provisional']]);
    const ranked = async () => (await standing()).filter(({ account_id }) => account_id === accountId());
    expect(await ranked()).toMatchObject([{ output_tok_s: 500, trust: 'self_reported' }]);

    await database().db.transaction((tx) => applyStanding(tx, account, 'vouched'));
    expect(await statuses(id)).toEqual([['accepted'], ['accepted'], ['accepted']]);
    // Its three runs support the earlier claim.
    expect(await standing()).toMatchObject([{ account_id: accountId(), output_tok_s: 500, trust: 'replicated' }]);

    await database().db.transaction((tx) => applyStanding(tx, account, 'new'));
    expect(await ranked()).toMatchObject([{ output_tok_s: 500, trust: 'self_reported' }]);
  });

  test('with many submissions changes at once for the first 20, and then for the others', async () => {
    const { sql, db } = database();
    const account = await newcomer();
    for (let run = 0; run < 45; run++) await insert(measured([500 + run / 10]), { accountId: account });
    const accepted = async () => {
      const rows = await sql<{ status: string; n: number }[]>`
        select status, count(*)::int as n from results
        where submission_id in (select id from submissions where account_id = ${account}) group by status`;
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
    };
    const apply = async (standing: 'vouched' | 'new') => {
      await sql`update accounts set standing = ${standing} where id = ${account}`;
      await transact(db, (tx) => applyStanding(tx, account, standing));
    };
    await apply('vouched');
    expect(await accepted()).toEqual({ accepted: 20, provisional: 25 });
    // Withdrawn before the others followed.
    await apply('new');
    expect(await accepted()).toEqual({ provisional: 45 });
    await apply('vouched');
    await Promise.all([continueStandings(db), continueStandings(db)]);
    expect(await accepted()).toEqual({ accepted: 45 });
    expect(await standing()).toMatchObject([{ account_id: account, results: 45 }]);
    const before = await claimsOf(account);
    await refreshAll();
    expect(await claimsOf(account)).toEqual(before);
    await continueStandings(db);
    expect(await accepted()).toEqual({ accepted: 45 });
  });

  test('is quarantined if it exceeds every standing claim by more than a factor of 1.25, with both values', async () => {
    await insert(measured([500]));
    const held = await insert(measured([626]), { accountId: await newcomer() });
    expect(await statuses(held.id)).toEqual([['quarantined', 'beyond_frontier']]);
    const [row] = await listResultsBySubmission(database().db, held.id);
    expect(row?.findings[0]?.evidence).toMatchObject({ metric: 'output_tok_s', value: 626, highest: 500 });
    expect(await statuses((await insert(measured([624]), { accountId: await newcomer() })).id)).toEqual([
      ['provisional'],
    ]);
    expect(await statuses((await insert(measured([900]))).id)).toEqual([['accepted']]);
  });
});
