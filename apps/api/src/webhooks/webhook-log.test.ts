import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { committedDocument } from '../document/committed.ts';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';

const app = useTestApp();
const url = 'https://ci.example.com/hooks/log';
const events = ['submission.held', 'submission.cleared', 'submission.disputed'];
let [owner, stranger, webhook] = ['', '', ''];

interface Delivery {
  id: string;
  event: string;
  attempts: number;
  outcome: string | null;
  delivered_at: string | null;
  next_attempt_at: string | null;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  links: { redeliver: string };
}
interface Page {
  data: Delivery[];
  next_cursor: string | null;
}

const call = (method: string, path: string, key: string | null, body?: unknown) =>
  app.request(path, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const log = async (query = '') =>
  (await (await call('GET', `/v1/webhooks/${webhook}/deliveries${query}`, owner)).json()) as Page;

const unknownGpu = (gpu: string) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'gpt-oss-120b', gpu, quantization: 'mxfp4' },
    scenario: { input_tokens: 100, output_tokens: 100 },
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 } }],
  });

beforeAll(async () => {
  owner = await app.createAccount('owner of a log');
  stranger = await app.createAccount('stranger to a log');
  webhook = (await answerOf(await call('POST', '/v1/webhooks', owner, { url, events }))).id;
});

/** Validates messages with the schemas of the document. */
function validatorOf(event: string) {
  const { webhooks, components } = committedDocument('http://localhost:8787') as unknown as {
    webhooks: Record<
      string,
      { post: { requestBody: { content: Record<string, { schema: object; example: object }> } } }
    >;
    components: object;
  };
  const { schema, example } = webhooks[event]?.post.requestBody.content['application/json'] ?? {};
  const isValid = new Ajv2020({ strict: false, formats: fullFormats }).compile({ ...schema, components });
  expect(isValid(example), event).toBe(true);
  return isValid;
}

describe('events of a submission', () => {
  it('notify its account when it is held, disputed and cleared, as documented', async () => {
    const { id } = await answerOf(await app.submit(unknownGpu('Frobnicator 1'), {}, owner));
    await call('POST', `/v1/submissions/${id}/concerns`, null, { reason: 'other', text: 'It cannot be.' });
    const review = { decision: 'clear', note: 'An engineering sample.' };
    expect((await call('POST', `/v1/submissions/${id}/review`, adminKey, review)).status).toBe(200);
    const { data } = await log();
    expect(data.map(({ body: { type, data: said } }) => [type, said])).toEqual([
      ['submission.cleared', { submission_id: id, results_cleared: 1, results_held: 0 }],
      ['submission.disputed', { submission_id: id, concern_id: expect.stringMatching(/^con_/), reason: 'other' }],
      ['submission.held', { submission_id: id, results_held: 1 }],
    ]);
    for (const { event, body } of data) expect(validatorOf(event)(body), event).toBe(true);
  });

  it('are not sent to other accounts, and exclude accepted results', async () => {
    const before = (await log()).data.length;
    await app.submit(unknownGpu('Frobnicator 2'), {}, stranger);
    await app.submit(unknownGpu('h100-sxm'), {}, owner);
    expect((await log()).data).toHaveLength(before);
  });

  it('include one when an upheld concern holds it', async () => {
    const { id } = await answerOf(await app.submit(unknownGpu('h200-sxm'), {}, owner));
    const concern = await answerOf(
      await call('POST', `/v1/submissions/${id}/concerns`, null, { reason: 'other', text: 'No.' }),
    );
    const decision = { decision: 'upheld', note: 'Indeed.', action: 'quarantine' };
    const decided = await call('POST', `/v1/concerns/${concern.id}/decision`, adminKey, decision);
    expect(decided.status, await decided.clone().text()).toBe(200);
    expect((await log()).data[0]?.body).toMatchObject({
      type: 'submission.held',
      data: { submission_id: id, results_held: 1 },
    });
  });
});

it('every event is documented, with its payload and headers', () => {
  const { webhooks } = committedDocument('http://localhost:8787') as unknown as {
    webhooks: Record<string, { post: { operationId: string } }>;
  };
  expect(Object.keys(webhooks).sort()).toEqual(
    ['ping', 'rank.changed', 'result.regressed', 'run.ended', ...events].sort(),
  );
  for (const event of Object.keys(webhooks)) validatorOf(event);
});

describe('the log of deliveries', () => {
  it('is paginated, newest first, and restricted to its owner and admins', async () => {
    const all = await log();
    expect(all.data.length).toBeGreaterThan(2);
    const first = await log('?limit=2');
    const second = await log(`?limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data]).toEqual(all.data.slice(0, 4));
    const path = `/v1/webhooks/${webhook}/deliveries`;
    expect((await call('GET', path, stranger)).status).toBe(404);
    expect((await call('GET', path, null)).status).toBe(401);
    expect((await call('GET', path, adminKey)).status).toBe(200);
  });

  it('sends a message again once, with the same id', async () => {
    const [{ id, links } = { id: '', links: { redeliver: '' } }] = (await log()).data;
    const { sql } = app.deps.database;
    await sql`update webhook_deliveries set next_at = null, attempts = 1, outcome = '200', delivered_at = now()`;
    const path = new URL(links.redeliver).pathname;
    expect((await call('POST', path, stranger)).status).toBe(404);
    const answers = await Promise.all([1, 2].map(() => call('POST', path, owner)));
    for (const answer of answers) {
      expect(answer.status).toBe(202);
      expect(await answer.json()).toMatchObject({
        ...{ id, attempts: 1, outcome: '200', delivered_at: null },
        next_attempt_at: expect.stringMatching(/Z$/),
      });
    }
    const due = await sql`select id from webhook_deliveries where next_at <= now()`;
    expect(due).toEqual([{ id }]);
    expect((await call('POST', '/v1/deliveries/msg_00/redeliver', owner)).status).toBe(404);
  });

  it('sends a message that waits for a retry now, but not one that is being sent', async () => {
    const { sql } = app.deps.database;
    const [{ id, links } = { id: '', links: { redeliver: '' } }] = (await log()).data;
    const isDue = async (of: string) =>
      (await sql`select 1 from webhook_deliveries where id = ${of} and next_at <= now()`).length === 1;
    const waitFor = async (of: string, seconds: number) => {
      await sql`update webhook_deliveries set next_at = now() + make_interval(secs => ${seconds}), outcome = 'answers 500'
        where id = ${of}`;
    };
    await waitFor(id, 50);
    await call('POST', new URL(links.redeliver).pathname, owner);
    expect(await isDue(id)).toBe(false);
    await waitFor(id, 3600);
    await call('POST', new URL(links.redeliver).pathname, owner);
    expect(await isDue(id)).toBe(true);
    const test = async () => (await answerOf(await call('POST', `/v1/webhooks/${webhook}/test`, owner))).id;
    const ping = await test();
    await waitFor(ping, 3600);
    expect(await test()).toBe(ping);
    expect(await isDue(ping)).toBe(true);
  });

  it('sends nothing for a deleted webhook', async () => {
    const [{ links } = { links: { redeliver: '' } }] = (await log()).data;
    await call('DELETE', `/v1/webhooks/${webhook}`, owner);
    expect((await call('POST', new URL(links.redeliver).pathname, owner)).status).toBe(404);
  });
});
