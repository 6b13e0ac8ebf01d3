import { webhooksMax } from '@inferboard/db/runs/webhook';
import { open } from '@inferboard/outbound/sealed-secrets';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
const url = 'https://ci.example.com/hooks/inferboard?team=7';

interface Webhook {
  id: string;
  code: string;
  errors: { code: string; pointer: string; hint?: string }[];
  url: string;
  secret: string;
  event: string;
  events: string[];
  workloads: string[];
  deliveries: { id: string; event: string; attempts: number; outcome: string | null }[];
  data: Webhook[];
  links: { self: string };
}

let [owner, stranger] = ['', ''];

const call = (method: string, path: string, key: string | null, body?: unknown, headers: Record<string, string> = {}) =>
  app.request(path, {
    method,
    headers: {
      ...headers,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const read = async (response: Response) => (await response.json()) as Webhook;

async function make(key = owner): Promise<Webhook> {
  const response = await call('POST', '/v1/webhooks', key, { url, events: ['run.ended'] });
  expect(response.status, await response.clone().text()).toBe(201);
  const made = await read(response);
  expect(response.headers.get('location')).toBe(made.links.self);
  return made;
}

beforeAll(async () => {
  owner = await app.createAccount('owner of webhooks');
  stranger = await app.createAccount('stranger to webhooks');
});

describe('a webhook', () => {
  test('shows its secret once, and stores it encrypted', async () => {
    const { secret, ...made } = await make();
    expect(made).toMatchObject({ url, events: ['run.ended'] });
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect((await make()).secret).not.toBe(secret);
    const { deliveries, ...found } = await read(await call('GET', `/v1/webhooks/${made.id}`, owner));
    expect([found, deliveries]).toEqual([made, []]);
    const [row] = await app.deps.database.sql<{ key_id: string; box: Uint8Array; dump: string }[]>`
      select secret_key_id as key_id, secret_box as box, to_jsonb(w)::text as dump from webhooks w where id = ${made.id}`;
    for (const form of [secret, secret.slice(6), Buffer.from(secret).toString('hex')])
      expect(row?.dump).not.toContain(form);
    const { keyring } = app.deps;
    if (keyring === null || row === undefined) throw new Error('the test keeps secrets');
    const sealed = { keyId: row.key_id, box: row.box };
    expect(open(keyring, { table: 'webhooks', id: made.id }, sealed)).toBe(secret);
  });

  test('receives each subscribed event once', async () => {
    const body = { url, events: ['result.regressed', 'run.ended'] };
    expect((await read(await call('POST', '/v1/webhooks', owner, body))).events).toEqual(body.events);
    const twice = { url, events: ['run.ended', 'run.ended'] };
    expect((await read(await call('POST', '/v1/webhooks', owner, twice))).events).toEqual(['run.ended']);
  });

  test('stores workload names for rank changes in their canonical form', async () => {
    const body = { url, events: ['rank.changed'], workloads: ['Chatbot', 'chatbot-steady', 'chatbot'] };
    const made = await read(await call('POST', '/v1/webhooks', owner, body));
    expect(made.workloads).toEqual(['chatbot', 'chatbot-steady']);
    expect((await read(await call('GET', `/v1/webhooks/${made.id}`, owner))).workloads).toEqual(made.workloads);
    expect((await make()).workloads).toEqual([]);
    const unknown = await call('POST', '/v1/webhooks', owner, { ...body, workloads: ['chatbot', 'chatbott'] });
    expect(unknown.status).toBe(422);
    expect((await read(unknown)).errors).toEqual([
      expect.objectContaining({
        code: 'value_unknown',
        pointer: '/workloads/1',
        hint: expect.stringContaining('chatbot'),
      }),
    ]);
  });

  test('rejects addresses that are not allowed', async () => {
    for (const [given, code] of [
      ['http://169.254.169.254/latest', 'address_not_allowed'],
      ['https://10.0.0.1/hook', 'address_not_allowed'],
      ['https://localhost/hook', 'host_reserved'],
      ['ftp://ci.example.com/hook', 'scheme_not_allowed'],
      ['https://me:pw@ci.example.com/hook', 'userinfo_present'],
      ['https://ci.example.com/hook#x', 'fragment_present'],
      ['nonsense', 'url_invalid'],
    ] as const) {
      const response = await call('POST', '/v1/webhooks', owner, { url: given, events: ['run.ended'] });
      expect(response.status, given).toBe(422);
      const { errors } = await read(response);
      expect(
        errors.map((fault) => fault.code),
        given,
      ).toContain(code);
      expect(errors.every(({ pointer }) => pointer === '/url')).toBe(true);
    }
    const wrong = await call('POST', '/v1/webhooks', owner, { uri: url, events: ['run.started'] });
    expect((await read(wrong)).errors.map(({ pointer }) => pointer).sort()).toEqual(['/events/0', '/uri', '/url']);
  });

  test('requires an encryption key on the server', async () => {
    const response = await createApp({ ...app.deps, keyring: null }).request('/v1/webhooks', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, events: ['run.ended'] }),
    });
    expect([response.status, (await read(response)).errors[0]?.code]).toEqual([422, 'credentials_not_kept']);
  });

  test('is visible only to its account and to admins', async () => {
    const { id } = await make();
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const)
      expect((await call(method, `/v1/webhooks/${id}${path}`, stranger)).status, `${method} ${path}`).toBe(404);
    expect((await call('GET', `/v1/webhooks/${id}`, null)).status).toBe(401);
    expect((await call('GET', `/v1/webhooks/${id}`, adminKey)).status).toBe(200);
    expect((await read(await call('GET', '/v1/webhooks', stranger))).data).toEqual([]);
    const { data } = await read(await call('GET', '/v1/webhooks', owner));
    expect(data[0]?.id).toBe(id);
    expect(data.some((webhook) => 'secret' in webhook)).toBe(false);
  });

  test('is limited to a maximum number for each account', async () => {
    const key = await app.createAccount('listener');
    for (let i = 0; i < webhooksMax; i += 1) await make(key);
    const refused = await call('POST', '/v1/webhooks', key, { url, events: ['run.ended'] });
    expect([refused.status, (await read(refused)).code]).toEqual([409, 'webhooks_too_many']);
  });
});

describe('a ping', () => {
  test('is queued, only one at a time', async () => {
    const { id } = await make();
    const pings = await Promise.all([1, 2, 3].map(() => call('POST', `/v1/webhooks/${id}/test`, owner)));
    expect(pings.map(({ status }) => status)).toEqual([202, 202, 202]);
    const events = await Promise.all(pings.map(read));
    expect(new Set(events.map((ping) => ping.id)).size).toBe(1);
    expect(events[0]).toMatchObject({ event: 'ping', attempts: 0, outcome: null, delivered_at: null });
    const { sql } = app.deps.database;
    const [row] = await sql<{ body: object; due: boolean }[]>`
      select body, next_at <= now() as due from webhook_deliveries where webhook_id = ${id}`;
    expect(row).toEqual({ body: { type: 'ping', timestamp: expect.stringMatching(/Z$/), data: {} }, due: true });

    await sql`update webhook_deliveries set next_at = null, attempts = 1, outcome = '200', delivered_at = now()`;
    const next = await read(await call('POST', `/v1/webhooks/${id}/test`, owner));
    expect(next.id).not.toBe(events[0]?.id);
    const { deliveries } = await read(await call('GET', `/v1/webhooks/${id}`, owner));
    expect(deliveries.map((delivery) => [delivery.id, delivery.attempts, delivery.outcome])).toEqual([
      [next.id, 0, null],
      [events[0]?.id, 1, '200'],
    ]);
  });

  test('and the secret are deleted with the webhook', async () => {
    const { id } = await make();
    await call('POST', `/v1/webhooks/${id}/test`, owner);
    const { headers } = await call('GET', `/v1/webhooks/${id}`, owner);
    const remove = (tag: string) => call('DELETE', `/v1/webhooks/${id}`, owner, undefined, { 'if-match': tag });
    expect((await remove('"x"')).status).toBe(412);
    expect((await remove(headers.get('etag') ?? '')).status).toBe(204);
    expect((await call('GET', `/v1/webhooks/${id}`, owner)).status).toBe(404);
    expect((await call('POST', `/v1/webhooks/${id}/test`, owner)).status).toBe(404);
    const [row] = await app.deps.database.sql`
      select w.secret_box, d.next_at, d.outcome from webhooks w join webhook_deliveries d on d.webhook_id = w.id
      where w.id = ${id}`;
    expect(row).toEqual({ secret_box: null, next_at: null, outcome: 'webhook removed' });
  });
});
