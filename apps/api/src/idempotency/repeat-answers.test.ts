import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { listOperations } from '../document/types.ts';
import { follow, readDocument } from '../testing/document.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { serve } from '../testing/serve.ts';

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('repeats');
});

interface Sent {
  body?: unknown;
  by?: string;
}

async function post(path: string, name: string, { body, by = key }: Sent = {}, on = app) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await on.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'idempotency-key': name, 'content-type': 'application/json' },
    // A stream has no Content-Length.
    ...(text !== undefined && { body: text }),
  });
  const answer = await response.text();
  return {
    status: response.status,
    text: answer,
    json: JSON.parse(answer || 'null') as { id: string; key: string; secret: string; code: string },
    location: response.headers.get('location'),
    isReplayed: response.headers.get('idempotency-replayed') === 'true',
  };
}

const hook = { url: 'https://ci.example.com/hook', events: ['run.ended'] };

describe('a POST with an Idempotency-Key', () => {
  it('returns the stored response if repeated, secret included, and does nothing else', async () => {
    const first = await post('/v1/webhooks', 'hook', { body: hook });
    const second = await post('/v1/webhooks', 'hook', { body: hook });
    expect([first.status, first.isReplayed]).toEqual([201, false]);
    expect(second).toEqual({ ...first, isReplayed: true });
    const { data } = (await (
      await app.request('/v1/webhooks', { headers: { authorization: `Bearer ${key}` } })
    ).json()) as {
      data: unknown[];
    };
    expect(data).toHaveLength(1);
  });

  it('stores no secret in plain text', async () => {
    const made = await post('/v1/keys', 'new key', { body: { scopes: ['submit'] } });
    expect(made.json.key).toMatch(/^ib_/);
    const [row] = await app.deps.database.sql<{ body: Uint8Array }[]>`
      select body from idempotency_keys where name = 'new key'`;
    const { gunzipSync } = await import('node:zlib');
    const stored = gunzipSync(row?.body ?? new Uint8Array()).toString('latin1');
    for (const form of [made.json.key, Buffer.from(made.json.key).toString('base64').slice(0, 20)])
      expect(stored).not.toContain(form);
    expect((await post('/v1/keys', 'new key', { body: { scopes: ['submit'] } })).json.key).toBe(made.json.key);
  });

  it('is repeated also without a body and for a 202 response', async () => {
    const { json } = await post('/v1/webhooks', 'pinged', { body: hook });
    const ping = await post(`/v1/webhooks/${json.id}/test`, 'ping');
    await app.deps.database.sql`update webhook_deliveries set next_at = null`;
    const again = await post(`/v1/webhooks/${json.id}/test`, 'ping');
    expect(again).toEqual({ ...ping, isReplayed: true });
    expect(ping.status).toBe(202);
    expect((await post(`/v1/webhooks/${json.id}/test`, 'another ping')).json.id).not.toBe(ping.json.id);
  });

  it('is processed once if several arrive at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/v1/webhooks', 'at once', { body: hook })));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json.id);
    expect(new Set(made).size).toBe(1);
  });

  it('is rejected with another body, another URL or an invalid name', async () => {
    await post('/v1/webhooks', 'reused', { body: hook });
    const other = await post('/v1/webhooks', 'reused', { body: { ...hook, url: 'https://ci.example.com/other' } });
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await post('/v1/webhooks', 'x'.repeat(256), { body: hook })).status).toBe(422);
  });

  it('is visible only to the key that sent it', async () => {
    const first = await post('/v1/webhooks', 'whose', { body: hook });
    const by = await app.createAccount('another that repeats');
    const other = await post('/v1/webhooks', 'whose', { body: hook, by });
    expect([other.status, other.isReplayed]).toEqual([201, false]);
    expect(other.json.id).not.toBe(first.json.id);
    const unknown = await post('/v1/webhooks', 'whose', { body: hook, by: 'ib_nobody_nobody_nobody_nobody_000' });
    expect(unknown.status).toBe(401);
    const withoutKey = await app.request('/v1/webhooks', {
      method: 'POST',
      headers: { 'idempotency-key': 'whose', 'content-type': 'application/json' },
      body: JSON.stringify(hook),
    });
    expect(withoutKey.status).toBe(401);
  });

  it('that starts a session is repeated for the key, but not for its sessions', async () => {
    const started = await post('/v1/sessions', 'start', { body: {} });
    const { token } = started.json as unknown as { token: string };
    expect(await post('/v1/sessions', 'start', { body: {} })).toEqual({ ...started, isReplayed: true });
    const again = await post('/v1/sessions', 'start', { body: {}, by: token });
    expect([again.status, again.isReplayed]).toEqual([403, false]);
  });

  it('can be corrected under the same name after a rejection', async () => {
    expect((await post('/v1/webhooks', 'right', { body: { url: 'nonsense' } })).status).toBe(422);
    expect((await post('/v1/webhooks', 'right', { body: hook })).status).toBe(201);
  });

  it('with a chunked body is read once', async () => {
    const { url, close } = await serve(createApp(app.deps));
    const send = async (name: string) => {
      const response = await fetch(`${url}/v1/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': name, 'content-type': 'application/json' },
        // A stream has no Content-Length.
        body: new Blob([JSON.stringify(hook)]).stream(),
        duplex: 'half',
      } as RequestInit);
      return { status: response.status, text: await response.text() };
    };
    const first = await send('pieces');
    expect(first.status, first.text).toBe(201);
    expect(await send('pieces')).toEqual(first);
    expect((await send('more pieces')).text).not.toBe(first.text);
    await close();
  });

  it('requires an encryption key on the server', async () => {
    const bare = createApp({ ...app.deps, keyring: null });
    const response = await bare.request('/v1/keys', {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'idempotency-key': 'bare', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ code: 'credentials_not_kept', parameter: 'Idempotency-Key' }],
    });
  });
});

it('accepts the header for every POST of the document', () => {
  const document = readDocument();
  const without = listOperations(document)
    .filter(({ method }) => method === 'post')
    .filter(({ operation }) => {
      const names = (operation.parameters ?? []).map((parameter) => follow(document, parameter).name.toLowerCase());
      return !names.includes('idempotency-key');
    });
  expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
});
