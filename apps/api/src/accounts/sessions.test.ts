import { insertSignInLink, sessionsMax } from '@inferboard/db/accounts/session';
import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createToken, hashKey } from './keys.ts';

const app = useTestApp();

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const start = (key: string) => app.request('/v1/sessions', { method: 'POST', headers: bearer(key) });
const sessionOf = async (response: Response) => (await response.json()) as { token: string; expires_at: string };
const me = async (key: string) => app.request('/v1/me', { headers: bearer(key) });
const startByLink = (link: string) =>
  app.request('/v1/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link }),
  });

async function linkFor(key: string): Promise<string> {
  const { key: asked } = (await (await me(key)).json()) as { key: { id: string } };
  const link = createToken('ibl');
  await insertSignInLink(app.deps.database.db, { hash: hashKey(link), keyId: asked.id });
  return link;
}

describe('a session', () => {
  it('has the permissions of its key, and only its hash is stored', async () => {
    const key = await app.createAccount('signed in');
    const response = await start(key);
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { token } = await sessionOf(response);
    expect(token).toMatch(/^ibs_[0-9A-Za-z]{36}$/);
    expect(await (await me(token)).json()).toMatchObject({ account: { name: 'signed in' } });
    const { sql } = app.deps.database;
    const rows = await sql`select * from sessions`;
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });

  it('has a new token each time, and cannot start another session', async () => {
    const key = await app.createAccount('twice');
    const [first, second] = [await sessionOf(await start(key)), await sessionOf(await start(key))];
    expect(first.token).not.toBe(second.token);
    expect((await start(first.token)).status).toBe(403);
  });

  it('ends on request, without ending other sessions', async () => {
    const key = await app.createAccount('leaving');
    const [first, second] = [await sessionOf(await start(key)), await sessionOf(await start(key))];
    const end = (token: string) => app.request('/v1/sessions/current', { method: 'DELETE', headers: bearer(token) });
    expect((await end(first.token)).status).toBe(204);
    expect((await me(first.token)).status).toBe(401);
    expect((await me(second.token)).status).toBe(200);
    expect((await end(key)).status).toBe(204);
    expect((await me(second.token)).status).toBe(200);
  });

  it('ends when its key is revoked or expires, and at its own expiry', async () => {
    const { sql } = app.deps.database;
    const key = await app.createAccount('stolen');
    const { token } = await sessionOf(await start(key));
    const { key: asked } = (await (await me(key)).json()) as { key: { id: string } };
    await sql`update api_keys set expires_at = now() where id = ${asked.id}`;
    for (const one of [key, token]) expect((await me(one)).status).toBe(401);
    await sql`update api_keys set expires_at = null where id = ${asked.id}`;
    expect((await me(token)).status).toBe(200);
    await sql`update sessions set expires_at = now() where hash = ${hashKey(token)}`;
    expect((await me(token)).status).toBe(401);
    const { token: next } = await sessionOf(await start(key));
    const revoked = await app.request(`/v1/keys/${asked.id}`, { method: 'DELETE', headers: bearer(next) });
    expect(revoked.status).toBe(204);
    for (const one of [key, next]) expect((await me(one)).status).toBe(401);
  });

  it('ends if it is the oldest of a key with too many sessions', async () => {
    const { sql } = app.deps.database;
    const key = await app.createAccount('restless');
    const { token: first } = await sessionOf(await start(key));
    const { token: second } = await sessionOf(await start(key));
    const { token: others } = await sessionOf(await start(await app.createAccount('calm')));
    await sql`
      insert into sessions (hash, key_id, expires_at)
      select 'more ' || n, key_id, expires_at from sessions, generate_series(3, ${sessionsMax}) n
      where hash = ${hashKey(second)}`;
    expect((await me(first)).status).toBe(200);
    const { token: last } = await sessionOf(await start(key));
    expect((await me(first)).status).toBe(401);
    for (const token of [second, last, others]) expect((await me(token)).status).toBe(200);
  });

  it('is shorter for an admin key', async () => {
    const hours = async (key: string) =>
      (Date.parse((await sessionOf(await start(key))).expires_at) - Date.now()) / 3_600_000;
    expect(await hours(adminKey)).toBeCloseTo(12, 0);
    expect(await hours(await app.createAccount('patient'))).toBeCloseTo(168, 0);
  });

  it('requires a valid key', async () => {
    expect((await app.request('/v1/sessions', { method: 'POST' })).status).toBe(401);
    expect((await start(createToken('ibs'))).status).toBe(401);
    expect((await start(createToken('ib'))).status).toBe(401);
  });
});

describe('a sign-in link', () => {
  it('works once, also if many clients use it at once', async () => {
    const link = await linkFor(adminKey);
    const responses = await Promise.all(Array.from({ length: 6 }, () => startByLink(link)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404, 404]);
    const [used] = responses.filter(({ status }) => status === 201);
    const { token } = await sessionOf(used as Response);
    expect(await (await me(token)).json()).toMatchObject({ account: { name: 'admin' } });
  });

  it('expires, and is not accepted as a key', async () => {
    const link = await linkFor(adminKey);
    expect((await me(link)).status).toBe(401);
    await app.deps.database.sql`update sign_in_links set expires_at = now()`;
    expect((await startByLink(link)).status).toBe(404);
    expect((await startByLink('nothing')).status).toBe(404);
  });
});

it.each(['ib', 'ibs', 'ibl', 'ibc'] as const)('rejects a token that begins with %s in the query', async (prefix) => {
  const response = await app.request(`/v1/search?q=${createToken(prefix)}`);
  expect(await response.json()).toMatchObject({ code: 'key_in_query' });
});

it('everyone can read who may create an account', async () => {
  expect(await app.get('/v1/registration')).toEqual({ registration: 'closed' });
});
