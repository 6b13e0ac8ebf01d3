import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { inDatabase } from '../artifacts/artifact-store.ts';
import { ensureBoards } from '../boards/fill-boards.ts';
import type { ResultRow } from '../boards/lists/row-types.ts';
import { newestMost } from '../point-statistics/claim-summary.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { canGoTogether, createSubmissionGroup } from './submission-group.ts';
import { type InsertCallbacks, insertSubmission, insertTogether, type NewSubmission } from './submission-insert.ts';

const { database, submissionOf, statisticsRows, rowCounts } = useUploads();

/** Two vouched accounts and a new one. */
let accounts: string[] = [];
beforeAll(async () => {
  const made = ['first', 'second', 'newcomer'].map((name) =>
    insertAccount(database().db, name, { registeredItself: name === 'newcomer' }),
  );
  accounts = (await Promise.all(made)).map((account) => account?.id ?? '');
});

/** Values that uploads share more often than by chance. */
const runs = [
  { output_tok_s: 1234.567, ttft_ms_mean: 45.6789, tpot_ms_mean: 6.54321 },
  { output_tok_s: 1231.023, ttft_ms_mean: 46.1234, tpot_ms_mean: 6.58765 },
  { output_tok_s: 987.654, ttft_ms_mean: 51.2345 },
  { output_tok_s: 1240.111 },
];

interface Plan {
  account: number;
  model: string;
  gpu: string;
  /** Which bytes to send; null for unique bytes. */
  bytes: number | null;
  results: { level: number; isRepeated: boolean; run: number; moved: number[]; definition: string }[];
}

const often = <T>(...of: [T, number][]) =>
  fc.oneof(...of.map(([value, weight]) => ({ weight, arbitrary: fc.constant(value) })));

const plans: fc.Arbitrary<Plan[]> = fc.array(
  fc.record({
    account: often([0, 3], [1, 3], [2, 1]),
    model: often(['llama-3.1-8b', 6], ['qwen3-8b', 2], ['Frobnicator 9000', 1]),
    gpu: often(['h100-sxm', 6], ['rtx-4090', 1]),
    bytes: often<number | null>([null, 8], [0, 1], [1, 1]),
    results: fc.array(
      fc.record({
        level: often([8, 6], [1, 1]),
        isRepeated: fc.boolean(),
        run: fc.nat(runs.length - 1),
        moved: fc.option(fc.array(fc.nat(60), { minLength: 3, maxLength: 3 }), { nil: [0, 0, 0], freq: 2 }),
        definition: often(['send_to_first_token', 5], ['last_of_batch', 1]),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 2, maxLength: 14 },
);

function toInput({ account, model, gpu, bytes, results }: Plan, place: number): NewSubmission {
  const sent = new TextEncoder().encode(bytes === null ? `own ${place}` : `shared ${bytes}`);
  const sha256 = createHash('sha256').update(sent).digest('hex');
  const read = resultsOf(
    results.map(({ level, isRepeated, run, moved, definition }) => ({
      level,
      metrics: Object.fromEntries(
        Object.entries(runs[run] ?? {}).map(([name, value], at) => [
          name,
          Number((value * (1 + (moved[at] ?? 0) / 1000)).toPrecision(7)),
        ]),
      ),
      definitions: { ttft_ms: definition },
      ...(isRepeated ? { repeats: { n: 3, sd: { output_tok_s: 2 + run } } } : {}),
    })),
    { model, gpu },
  );
  return submissionOf(read, {
    accountId: accounts[account] ?? '',
    artifact: { sha256, size: sent.length, stored: { bytes: sent, packing: null }, mediaType: 'application/json' },
    // The same bytes with other metadata are a different submission.
    fingerprint: createHash('sha256')
      .update(JSON.stringify([sha256, model, gpu]))
      .digest('hex'),
    notes: `upload ${place}`,
  });
}

/** Records the arguments of an uploader's callbacks. */
class Recorder implements InsertCallbacks {
  rows: ResultRow[] = [];
  begun = () => {
    this.rows = [];
  };
  storing = (rows: ResultRow[]) => {
    for (const row of rows) this.rows[row.ordinal] = row;
  };
}

/** All stored data as text, with ids replaced by what they refer to. */
async function dump(outcomes: unknown): Promise<string> {
  const { sql } = database();
  const names = new Map<string, string>();
  const [submissions, results, points] = await Promise.all([
    sql`select id, notes from submissions`,
    sql`select r.id, sub.notes, r.ordinal from results r join submissions sub on sub.id = r.submission_id`,
    sql`select p.id, p.system_id || ' ' || sc.key || ' ' || p.load_key as name
      from points p join scenarios sc on sc.id = p.scenario_id`,
  ]);
  for (const { id, notes } of submissions) names.set(id, notes);
  for (const { id, notes, ordinal } of results) names.set(id, `${notes} result ${ordinal}`);
  const pointNames = new Map(points.map(({ id, name }) => [Number(id), name as string]));
  const tables = await Promise.all(
    ['submissions', 'results', 'point_statistics', 'result_anchors', 'artifacts'].map(
      async (table) => [table, await sql`select to_jsonb(t) as row from ${sql(table)} t`] as const,
    ),
  );
  const tidy = (key: string, value: unknown) => {
    if (['created_at', 'updated_at', 'summed_by'].includes(key)) return undefined;
    if (key === 'point_id') return pointNames.get(Number(value));
    if (typeof value === 'number') return Number(value.toPrecision(11));
    if (typeof value === 'string') return value.replace(/\b(?:sub|res)_[0-9a-f]{32}\b/g, (id) => names.get(id) ?? id);
    // The order is unspecified.
    if (key === 'conflicts') return (value as { metric: string }[]).toSorted((a, b) => (a.metric < b.metric ? -1 : 1));
    // Scenario ids follow the order of arrival.
    return key === 'scenario' && value !== null ? { ...(value as object), id: undefined } : value;
  };
  const rows = tables.map(([table, of]) => [table, of.map(({ row }) => JSON.stringify(row, tidy)).sort()]);
  return JSON.stringify([JSON.parse(JSON.stringify(outcomes, tidy)), rows], null, 1);
}

const empty = () =>
  database().sql`
    truncate results, point_statistics, points, scenarios, systems, submissions, artifacts,
      boards, board_systems, board_totals, point_shapes, tool_scatter cascade`;

/** All board tables, with ids replaced by what they refer to. */
async function boards(): Promise<unknown> {
  const rows = await database().sql`
    select to_jsonb(q) as row from (
      select b.kind, b.workload, b.metric, b.definition_group, r.system_id, p.load_key, r.status, r.variant, r.worth::text,
        r.n, r.sd::text, r.tools, r.trust, r.disputed, r.unnamed, r.is_first, r.is_best
      from board_rows r join boards b on b.id = r.board_id join points p on p.id = r.point_id order by 1, 2, 3, 4, 5, 6, 7, 8) q
    union all
    select to_jsonb(q) from (select kind, workload, metric, definition_group, systems from boards where systems > 0 order by 1, 2, 3, 4) q
    union all
    select to_jsonb(q) from (
      select t.kind, t.workload, t.fact, t.name, t.status, t.trust, t.unnamed, h.shape, t.points
      from board_totals t join point_shapes h on h.id = t.shape_id where points > 0 order by 1, 2, 3, 4, 5, 6, 7, 8) q
    union all
    select to_jsonb(q) from (
      select b.kind, b.workload, b.metric, b.definition_group, n.fact, n.name, n.systems
      from board_systems n join boards b on b.id = n.board_id where n.systems > 0 order by 1, 2, 3, 4, 5, 6) q
    union all
    select to_jsonb(q) from (
      select b.kind, b.workload, p.load_key, f.f as figures from (select to_jsonb(t) - 'board_id' - 'point_id' as f, t.board_id, t.point_id from board_figures t) f
      join boards b on b.id = f.board_id join points p on p.id = f.point_id order by 1, 2, 3, f.f ->> 'system_id', f.f ->> 'status', f.f ->> 'variant') q
    union all
    select to_jsonb(q) from (
      select metric, definition_group, tool, round(squares, 20), df, groups from tool_scatter where groups > 0 order by 1, 2, 3) q`;
  return rows.map(({ row }) => row);
}

describe('uploads that are stored together', () => {
  // Includes the responses to uploaders.
  test('have the same result as uploads one after the other', { timeout: 600_000 }, async () => {
    const kinds = ['same_bytes', 'same_run', 'figures', 'replicated', 'provisional', 'quarantined'];
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(plans, fc.array(fc.nat(5), { minLength: 14, maxLength: 14 }), async (all, sizes) => {
        const { db } = database();
        await empty();
        const inputs = all.map(toInput);
        const alone = [];
        for (const input of inputs) {
          const recorder = new Recorder();
          alone.push({ outcome: await insertSubmission(db, input, recorder), rows: recorder.rows });
        }
        const expected = await dump(alone);
        await empty();
        const together = [];
        for (let start = 0, turn = 0; start < inputs.length; turn += 1) {
          const wanted = inputs.slice(start, start + 1 + (sizes[turn] ?? 0));
          const clash = wanted.findIndex((one, at) => !wanted.slice(0, at).every((other) => canGoTogether(one, other)));
          const batch = clash === -1 ? wanted : wanted.slice(0, clash);
          start += batch.length;
          const recorders = batch.map(() => new Recorder());
          const uploads = batch.map((input, at) => ({ input, callbacks: recorders[at] ?? {} }));
          const outcomes = await insertTogether(db, uploads, inDatabase);
          together.push(...outcomes.map((outcome, at) => ({ outcome, rows: recorders[at]?.rows })));
        }
        expect(await dump(together)).toBe(expected);
        const kept = await boards();
        await ensureBoards(db, { isAnew: true });
        expect(kept).toEqual(await boards());
        for (const word of kinds) if (expected.includes(`"${word}"`)) seen.add(word);
      }),
      { numRuns: 30 },
    );
    expect([...seen].sort()).toEqual([...kinds].sort());
  });

  test('have the same result at a point with more results than are read', async () => {
    const { db } = database();
    await empty();
    // Values so far apart that none is another form of another one.
    const values = Array.from({ length: newestMost + 6 }, (_, at) => 100 + 0.03 * ((at * 7) % (newestMost + 6)));
    const [stored, ...added] = [
      values.slice(0, newestMost - 2),
      ...values.slice(newestMost - 2).map((value) => [value]),
    ].map((of) => submissionOf(resultsOf(of.map((output_tok_s) => ({ metrics: { output_tok_s } })))));
    await insertSubmission(db, stored as NewSubmission);
    await insertTogether(
      db,
      added.map((input) => ({ input, callbacks: {} })),
      inDatabase,
    );
    const [row, ...more] = await statisticsRows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      results: values.length,
      statistics: { output_tok_s: { n: values.length, max: Math.max(...values) } },
    });
    expect(row?.output_tok_s).toBeCloseTo(values.reduce((a, b) => a + b, 0) / values.length, 10);
    const newest = values.slice(-newestMost).sort((a, b) => a - b);
    expect(row?.statistics.output_tok_s?.median).toBeCloseTo(
      ((newest[newestMost / 2 - 1] ?? 0) + (newest[newestMost / 2] ?? 0)) / 2,
      10,
    );
  });
});

describe('a group', () => {
  const spoilt = (input: NewSubmission) => ({
    ...input,
    results: input.results.map((result) => ({ ...result, status: 'nonsense' as 'accepted' })),
  });

  test('gives each of several simultaneous uploads its own outcome', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const input = submissionOf(resultsOf([{ metrics: { output_tok_s: 500 } }]));
    const inputs = Array.from({ length: 30 }, (_, at) => {
      if (at % 10 === 9) return input;
      const one = submissionOf(resultsOf([{ level: 1 + (at % 3), metrics: { output_tok_s: 100 * 1.01 ** at } }]));
      return at % 7 === 3 ? spoilt(one) : one;
    });
    const reservations = inputs.map(() => group.reserve());
    const outcomes = await Promise.allSettled(inputs.map((one, at) => reservations[at]?.insert(one, {})));
    const bad = inputs.flatMap((one, at) => (one.results[0]?.status === 'accepted' ? [] : [at]));
    expect(bad.length).toBeGreaterThan(2);
    for (const [at, outcome] of outcomes.entries())
      expect([at, outcome.status]).toEqual([at, bad.includes(at) ? 'rejected' : 'fulfilled']);
    const same = outcomes.flatMap((outcome, at) =>
      at % 10 === 9 && outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    expect(new Set(same.map((one) => one?.id)).size).toBe(1);
    expect(same.filter((one) => one?.duplicate)).toHaveLength(2);
    const stored = 30 - bad.length - 2;
    expect(await rowCounts()).toMatchObject({ submissions: stored, results: stored });
    const counted = (await statisticsRows()).reduce((sum, row) => sum + row.results, 0);
    expect(counted).toBe(stored);
  });

  test('stores many simultaneous uploads in few transactions', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const inputs = Array.from({ length: 40 }, (_, at) =>
      submissionOf(resultsOf([{ level: 1 + at, metrics: { output_tok_s: 100 + at } }])),
    );
    const reservations = inputs.map(() => group.reserve());
    await Promise.all(inputs.map((one, at) => reservations[at]?.insert(one, {})));
    expect(await rowCounts()).toMatchObject({ submissions: 40, results: 40, points: 40, scenarios: 1, systems: 1 });
    const transactions = await database().sql`select distinct xmin::text from submissions`;
    expect(transactions.length).toBeGreaterThan(0);
    expect(transactions.length).toBeLessThanOrEqual(8);
  });

  test('stores uploads of one system together if they would wait for each other', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const inputs = Array.from({ length: 5 }, (_, at) =>
      submissionOf(resultsOf([{ level: 1 + at, metrics: { output_tok_s: 100 + at } }])),
    );
    const send = (of: NewSubmission[]) => of.map((input) => group.reserve().insert(input, {}));
    await Promise.all(send(inputs.slice(0, 1)));
    const { sql } = database();
    const waiting = async () =>
      (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length;
    const sent = await sql.begin(async (tx) => {
      await tx`select from systems for update`;
      const first = send(inputs.slice(1, 2));
      while ((await waiting()) === 0);
      // Longer than uploads wait for a slow transaction.
      const since = performance.now();
      const others = send(inputs.slice(2));
      while (performance.now() < since + 120) expect(await waiting()).toBe(1);
      return { all: [...first, ...others] };
    });
    await Promise.all(sent.all);
    expect(await sql`select distinct xmin::text from submissions`).toHaveLength(3);
  });

  test('runs the callbacks of each upload, and an error in one fails only that upload', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const inputs = [0, 1, 2].map((at) => submissionOf(resultsOf([{ metrics: { output_tok_s: 100 + at } }])));
    const begun = [0, 0, 0];
    const reservations = inputs.map(() => group.reserve());
    const outcomes = await Promise.allSettled(
      inputs.map((input, at) =>
        reservations[at]?.insert(input, {
          begun: () => {
            begun[at] = (begun[at] ?? 0) + 1;
          },
          stored: async (_, { id, row }) => {
            expect(row).toMatchObject({ id, account_id: input.accountId, results: 1 });
            if (at === 1) throw new Error('no');
          },
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    // First together, then separately. On a busy machine, one may have been stored before the others arrived.
    for (const times of begun) expect([1, 2]).toContain(times);
    expect(await rowCounts()).toMatchObject({ submissions: 2, results: 2 });
  });

  test('waits for reserved uploads, except canceled ones', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const [one, other, gone] = [group.reserve(), group.reserve(), group.reserve()];
    const inputs = [0, 1].map((at) => submissionOf(resultsOf([{ metrics: { output_tok_s: 100 + at } }])));
    const first = one.insert(inputs[0] as NewSubmission, {});
    gone.cancel();
    gone.cancel();
    await Promise.all([first, other.insert(inputs[1] as NewSubmission, {})]);
    expect(await database().sql`select distinct xmin::text from submissions`).toHaveLength(1);
  });

  test('waits for clients that were just answered, and send the next upload', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const send = async (client: number) => {
      for (let at = 0; at < 15; at += 1) {
        const results = resultsOf([{ level: 1 + client, metrics: { output_tok_s: 100 + at } }]);
        await group.reserve().insert(submissionOf(results), { begun: resolve });
        // Simulates a round trip to a client.
        await database().sql`select 1`;
      }
    };
    const first = [0, 1].map(send);
    await begun;
    await Promise.all([...first, ...[2, 3].map(send)]);
    expect(await rowCounts()).toMatchObject({ submissions: 60, results: 60 });
    // Two uploads that are stored and two that wait would alternate: 30 transactions.
    expect((await database().sql`select distinct xmin::text from submissions`).length).toBeLessThan(25);
  });

  test('returns a submission like a query', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const { row, id } = await group.reserve().insert(submissionOf(resultsOf([{}, { level: 16 }])), {});
    const { findSubmission } = await import('./submission-find.ts');
    expect(row).toEqual(await findSubmission(database().db, id));
  });
});
