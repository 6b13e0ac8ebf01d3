import { readFile } from 'node:fs/promises';
import { insertMeasured, type Measured } from '@inferboard/db/testing/insert-measured';
import { beforeEach, expect, test } from 'vitest';
import { addAccount } from '../testing/world.ts';
import { useWebhookWorld } from '../webhooks/testing/webhook-world.ts';
import { sendRankChanges } from './send-rank-changes.ts';

const { accountId, addWebhook, database, databases, depsOf } = useWebhookWorld();

beforeEach(async () => {
  await database().sql`
    truncate board_firsts, results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems,
      submissions, artifacts cascade`;
});

const speed = (system: string, value: number, more: Partial<Measured> = {}): Measured => ({
  system,
  metrics: [{ output_tok_s: value }],
  ...more,
});
const submit = (account: string, ...measured: Measured[]) => insertMeasured(database(), account, measured);
const rival = () => addAccount(database(), `rival ${crypto.randomUUID().slice(0, 8)}`);
const look = (last: string | null = null) => sendRankChanges(depsOf(database()), last);

interface Place {
  system_id: string;
  label: string;
  value: number;
  yours: boolean;
  links: { system: string; page: string };
}
interface Change {
  workload: string;
  rank_by: string;
  definition: string | null;
  unit: string;
  first: Place;
  before: Place;
  links: { leaderboard: string };
}

/** The changes of each message, oldest message first. */
async function messages(): Promise<Change[][]> {
  const rows = await database().sql<{ body: { type: string; data: { changes: Change[]; changes_total: number } } }[]>`
    select body from webhook_deliveries order by id`;
  return rows.map(({ body: { type, data } }) => {
    expect(type).toBe('rank.changed');
    expect(data.changes_total).toBe(data.changes.length);
    return data.changes;
  });
}
const byGpu = (changes: Change[] | undefined) => changes?.find(({ rank_by }) => rank_by === 'output_tok_s_per_gpu');

test('sends an account both figures if another system takes its first place', async () => {
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(accountId(), speed('0.10.2', 1000));
  await look();
  expect(await messages()).toEqual([]);
  await submit(await rival(), speed('0.11.0', 1100));
  await look();
  const [changes, ...others] = await messages();
  expect(others).toEqual([]);
  const change = byGpu(changes) ?? expect.fail('no change');
  expect(change).toMatchObject({
    workload: 'chatbot-steady',
    rank_by: 'output_tok_s_per_gpu',
    unit: 'tok/s',
    first: { label: expect.stringContaining('0.11.0'), value: 1100, yours: false },
    before: { label: expect.stringContaining('0.10.2'), value: 1000, yours: true },
    links: {
      leaderboard: 'https://bench.example/v1/leaderboard?workload=chatbot-steady&rank_by=output_tok_s_per_gpu',
    },
  });
  expect(change.first.links).toEqual({
    system: `https://bench.example/v1/systems/${change.first.system_id}`,
    page: `https://bench.example/systems/${change.first.system_id}`,
  });
  await look();
  expect(await messages()).toHaveLength(1);
});

/** The fields of a value with their types, to compare values of one form. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, formOf(field)]));
}

test('sends a message in the format of the example in the OpenAPI document', async () => {
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(accountId(), { system: '0.10.2', metrics: [{ req_s: 4 }] });
  await look();
  await submit(await rival(), { system: '0.11.0', metrics: [{ req_s: 5 }] });
  await look();
  const file = new URL('../../../api/openapi.json', import.meta.url);
  const { webhooks } = JSON.parse(await readFile(file, 'utf8')) as {
    webhooks: Record<
      string,
      { post: { requestBody: { content: Record<string, { example: { data: { changes: Change[] } } }> } } }
    >;
  };
  const example = webhooks['rank.changed']?.post.requestBody.content['application/json']?.example.data.changes[0];
  const [[change] = []] = await messages();
  expect(change?.rank_by).toBe('req_s');
  expect(formOf({ ...change, definition: null })).toEqual(formOf(example));
});

test('sends an event if a system of the account takes or loses the first place', async () => {
  const other = await rival();
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(other, speed('0.10.2', 1000));
  await look();
  await submit(accountId(), speed('0.11.0', 1100));
  await look();
  await submit(other, speed('0.12.0', 1200));
  await look();
  expect((await messages()).map((changes) => [byGpu(changes)?.first.yours, byGpu(changes)?.before.yours])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('ignores more and better results of the first system, and changes of lower ranks', async () => {
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(accountId(), speed('0.10.2', 1000));
  await look();
  await submit(accountId(), speed('0.10.2', 1500, { level: 16 }));
  await submit(await rival(), speed('0.11.0', 900));
  await look();
  expect(await messages()).toEqual([]);
  // The previous value is the latest value in first place.
  await submit(await rival(), speed('0.12.0', 1600));
  await look();
  expect(byGpu((await messages())[0])?.before.value).toBe(1500);
});

test('sends a webhook only the events of its workload', async () => {
  const [one, two] = [await rival(), await rival()];
  const named = async (workload: string) => {
    const id = await addWebhook(`https://${workload}.example/`, ['rank.changed']);
    await database().sql`update webhooks set workloads = ${[workload]} where id = ${id}`;
    return id;
  };
  const [shape, whole, another] = [await named('chatbot'), await named('chatbot-steady'), await named('rag')];
  await addWebhook('https://none.example/', ['rank.changed']);
  await addWebhook('https://other.example/', ['run.ended']);
  await submit(one, speed('0.10.2', 1000));
  await look();
  await submit(two, speed('0.11.0', 1100));
  await look();
  const rows = await database().sql<{ webhook_id: string }[]>`select webhook_id from webhook_deliveries`;
  const receivers = rows.map(({ webhook_id }) => webhook_id);
  expect(receivers.toSorted()).toEqual([shape, whole].toSorted());
  expect(receivers).not.toContain(another);
  expect(byGpu((await messages())[0])?.first.yours).toBe(false);
});

test('a system without a named GPU never takes the first place', async () => {
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(accountId(), speed('0.10.2', 1000));
  await look();
  await submit(await rival(), speed('0.11.0', 5000, { gpu: 'unspecified' }));
  await look();
  expect(await messages()).toEqual([]);
});

test('several workers report a change once', async () => {
  await addWebhook('https://a.example/', ['rank.changed']);
  await submit(accountId(), speed('0.10.2', 1000));
  await look();
  await submit(await rival(), speed('0.11.0', 1100));
  await Promise.all(databases().map((pool) => sendRankChanges(depsOf(pool), null)));
  await look();
  expect(await messages()).toHaveLength(1);
});

test('omits changes before the first subscription and changes without a subscriber', async () => {
  await submit(accountId(), speed('0.10.2', 1000));
  const before = await look();
  await submit(await rival(), speed('0.11.0', 1100));
  const id = await addWebhook('https://a.example/', ['rank.changed']);
  // A new subscription is processed even if no result changed.
  const subscribed = await look(before);
  expect(subscribed).not.toBe(before);
  expect(await look(subscribed)).toBe(subscribed);
  await database().sql`update webhooks set removed_at = now() where id = ${id}`;
  await look(subscribed);
  expect(await database().sql`select from board_firsts`).toHaveLength(0);
  await submit(await rival(), speed('0.12.0', 1200));
  await addWebhook('https://b.example/', ['rank.changed']);
  await look();
  expect(await messages()).toEqual([]);
});
