import { transact } from '@inferboard/db/connection/transaction';
import { claimRegressionCheck, endRegressionCheck } from '@inferboard/db/reviews/regression-check';
import { insertReview } from '@inferboard/db/reviews/review-insert';
import { insertMeasured, type Measured } from '@inferboard/db/testing/insert-measured';
import { beforeEach, expect, test } from 'vitest';
import { addAccount } from '../testing/world.ts';
import { useWebhookWorld } from '../webhooks/testing/webhook-world.ts';
import { checkSubmissions } from './send-regressions.ts';

const { accountId, addWebhook, database, databases, depsOf } = useWebhookWorld();
const never = new AbortController().signal;

beforeEach(async () => {
  await database().sql`
    truncate regression_checks, told_regressions, reviews, results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems,
      submissions, artifacts cascade`;
});

const speed = (system: string, mean: number, metric = 'output_tok_s'): Measured => ({
  system,
  metrics: [-1, 0, 1, 0].map((by) => ({ [metric]: mean * (1 + by / 1000) })),
});

/** Stores points as one submission of an account and returns its id. */
async function submit(measured: Measured, account = accountId()): Promise<string> {
  await insertMeasured(database(), account, [measured]);
  const [row] = await database().sql<{ id: string }[]>`select id from submissions order by id desc limit 1`;
  return row?.id ?? '';
}

interface Message {
  event: string;
  data: {
    submission_id: string;
    links: { submissions: string[] };
    regressions: { metric: string; type: string; verdict: string; result_id: string }[];
    regressions_total: number;
  };
}

const messages = async () =>
  (
    await database().sql<{ event: string; body: { data: Message['data'] } }[]>`
    select event, body from webhook_deliveries order by id`
  ).map(({ event, body }) => ({ event, data: body.data }));
const waiting = () => database().sql`select submission_id from regression_checks`;
const check = () => checkSubmissions(depsOf(database()), never);
const metricsOf = ([message]: Message[]) => message?.data.regressions.map(({ metric }) => metric) ?? [];

test('notifies the account of a submission once, with the figures of the list of changes', async () => {
  await addWebhook('https://a.example/');
  await submit(speed('0.10.2', 1000));
  const slower = await submit(speed('0.11.0', 900));
  await check();
  const sent = await messages();
  expect(sent).toMatchObject([
    {
      event: 'result.regressed',
      data: { submission_id: slower, links: { submissions: [`https://bench.example/v1/submissions/${slower}`] } },
    },
  ]);
  expect(metricsOf(sent)).toContain('output_tok_s_per_gpu');
  expect(sent[0]?.data.regressions_total).toBe(sent[0]?.data.regressions.length);
  expect(sent[0]?.data.regressions[0]).toMatchObject({ type: 'version', verdict: 'regression' });
  expect(await waiting()).toEqual([]);
  await check();
  expect(await messages()).toHaveLength(1);
});

test('checks results of other tools too, and does not report improvements', async () => {
  await addWebhook('https://a.example/');
  await submit(speed('b6000', 100, 'decode_tok_s'));
  await submit(speed('b6100', 80, 'decode_tok_s'));
  await check();
  expect(metricsOf(await messages())).toContain('decode_tok_s');
  await submit(speed('b6200', 120, 'decode_tok_s'));
  await check();
  expect(await messages()).toHaveLength(1);
});

test('skips accounts without a subscription', async () => {
  await submit(speed('0.10.2', 1000));
  await submit(speed('0.11.0', 900));
  await addWebhook('https://a.example/', ['run.ended']);
  await addWebhook('https://b.example/', ['result.regressed'], await addAccount(database(), 'somebody else'));
  await submit(speed('0.11.0', 899));
  expect(await waiting()).toEqual([]);
});

test('reports a regression of several submissions once, in any order of checks', async () => {
  await addWebhook('https://a.example/');
  await submit(speed('0.10.2', 1000));
  await check();
  // Three submissions with one repetition each reach a verdict only together.
  for (const value of [900, 901, 899]) await submit({ system: '0.11.0', metrics: [{ output_tok_s: value }] });
  await database().sql`
    update regression_checks set next_at = now() - make_interval(secs => ascii(right(submission_id, 1)))`;
  await Promise.all(databases().map((pool) => checkSubmissions(depsOf(pool), never)));
  const regressions = (await messages()).flatMap(({ data }) => data.regressions);
  const keys = regressions.map(({ result_id, type, metric }) => `${result_id} ${type} ${metric}`);
  expect(keys.length).toBeGreaterThan(0);
  expect(new Set(keys).size).toBe(keys.length);
  await submit({ system: '0.11.0', metrics: [{ output_tok_s: 900.5 }] });
  await check();
  expect((await messages()).flatMap(({ data }) => data.regressions)).toHaveLength(keys.length);
});

test('another worker continues the check of a stopped worker, and the stopped one reports nothing', async () => {
  await addWebhook('https://a.example/');
  await submit(speed('0.10.2', 1000));
  await check();
  await submit(speed('0.11.0', 900));
  const { db } = database();
  const dead = (await claimRegressionCheck(db)) ?? expect.fail('nothing waits');
  await check();
  expect(await messages()).toEqual([]);
  await database().sql`update regression_checks set next_at = now()`;
  const next = (await claimRegressionCheck(db)) ?? expect.fail('the lease goes on');
  expect(await transact(db, (tx) => endRegressionCheck(tx, dead))).toBe(false);
  expect(next.attempts).toBe(2);
  await database().sql`update regression_checks set next_at = now()`;
  await check();
  expect(await messages()).toHaveLength(1);
});

test('checks results when a review accepts them', async () => {
  await addWebhook('https://a.example/');
  await submit(speed('0.10.2', 1000));
  await check();
  const held = await submit({ ...speed('0.11.0', 900), status: 'quarantined' });
  expect(await waiting()).toEqual([]);
  const results = (
    await database().sql<{ id: string }[]>`
    select id from results where submission_id = ${held} order by id`
  ).map(({ id }) => id);
  await database().sql`update submissions set status = 'quarantined' where id = ${held}`;
  const changes = results.map((id) => ({ id, mapping: null, reread: null }));
  const isStored = await insertReview(database().db, {
    ...{ submissionId: held, accountId: accountId(), decision: 'clear', note: 'looks right', mapping: null },
    ...{ results, reviewsBefore: 0, changes },
  });
  expect(isStored).toBe(true);
  await check();
  expect((await messages()).map(({ data }) => data.submission_id)).toEqual([held]);
});
