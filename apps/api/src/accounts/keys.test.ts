import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createKey, isPlausibleKey } from './keys.ts';

const app = useTestApp();

it('keys have one format and are unique', () => {
  const keys = Array.from({ length: 100 }, createKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(key).toMatch(/^ib_[0-9A-Za-z]{36}$/);
    expect(isPlausibleKey(key)).toBe(true);
  }
});

describe('keys of an account', () => {
  interface Key {
    id: string;
    key: string;
    last_four: string;
    scopes: string[];
    name: string | null;
    expires_at: string | null;
    last_used_at: string | null;
    revoked_at: string | null;
    code: string;
    detail: string;
    data: Key[];
  }
  async function ask(key: string | null, path = '', method = 'GET', body?: unknown) {
    const headers = { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' };
    const response = await app.request(`/v1/keys${path}`, { method, headers, body: JSON.stringify(body) ?? null });
    const text = await response.text();
    return { status: response.status, text, body: (text === '' ? null : JSON.parse(text)) as Key };
  }

  it('are listed without their secrets and are rotated by creating one and revoking another', async () => {
    const first = await app.createAccount('rotating');
    const made = await ask(first, '', 'POST', { scopes: ['submit', 'keys'] });
    expect(made).toMatchObject({ status: 201, body: { scopes: ['submit', 'keys'] } });
    const { body, text } = await ask(made.body.key);
    expect(body.data).toMatchObject([
      { id: made.body.id, last_four: made.body.key.slice(-4), scopes: ['submit', 'keys'], revoked_at: null },
      { last_four: first.slice(-4), scopes: ['submit', 'run', 'keys'] },
    ]);
    expect(body.data[1]?.last_used_at).not.toBeNull();
    for (const secret of [first, made.body.key]) expect(text).not.toContain(secret.slice(3, -4));
    expect((await ask(made.body.key, `/${body.data[1]?.id}`, 'DELETE')).status).toBe(204);
    expect((await ask(first)).status).toBe(401);
    expect((await ask(made.body.key)).body.data[1]?.revoked_at).not.toBeNull();
    expect((await ask(made.body.key, `/${body.data[1]?.id}`, 'DELETE')).status).toBe(404);
  });

  it('are listed for an admin, who can then revoke them', async () => {
    const key = await app.createAccount('to be closed');
    const [own] = (await ask(key)).body.data;
    const account = await app.deps.database.sql<{ id: string }[]>`select id from accounts where name = 'to be closed'`;
    const listed = async (by: string, id = account[0]?.id) => {
      const response = await app.request(`/v1/accounts/${id}/keys`, { headers: { authorization: `Bearer ${by}` } });
      return { status: response.status, body: (await response.json()) as Key };
    };
    expect(await listed(adminKey)).toMatchObject({ status: 200, body: { data: [{ id: own?.id, revoked_at: null }] } });
    expect(await listed(key)).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    for (const id of ['acc_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'nobody'])
      expect(await listed(adminKey, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await ask(adminKey, `/${own?.id}`, 'DELETE')).status).toBe(204);
    expect((await listed(adminKey)).body.data[0]?.revoked_at).not.toBeNull();
  });

  it('are limited to twenty for each account, also if many are created at once', async () => {
    const key = await app.createAccount('greedy');
    const made = await Promise.all(Array.from({ length: 21 }, () => ask(key, '', 'POST', {})));
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(19).fill(201), 409, 409]);
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('keys_too_many');
  });

  it('have a name and an expiry, stop working after it and free a place', async () => {
    const key = await app.createAccount('expiring');
    const made = await ask(key, '', 'POST', { scopes: ['submit', 'keys'], name: 'ci runner', expires_in_days: 30 });
    expect(made).toMatchObject({ status: 201, body: { name: 'ci runner' } });
    const days = (text: string | null) => (Date.parse(text ?? '') - Date.now()) / 86_400_000;
    expect(days(made.body.expires_at)).toBeCloseTo(30, 1);
    expect((await ask(key)).body.data).toMatchObject([
      { id: made.body.id, name: 'ci runner', expires_at: made.body.expires_at },
      { name: null, expires_at: null },
    ]);
    // A key expires no later than the key that created it.
    for (const body of [{}, { expires_in_days: 3650 }])
      expect((await ask(made.body.key, '', 'POST', body)).body.expires_at).toBe(made.body.expires_at);
    expect(days((await ask(made.body.key, '', 'POST', { expires_in_days: 1 })).body.expires_at)).toBeCloseTo(1, 1);
    await app.deps.database.sql`update api_keys set expires_at = now() where id = ${made.body.id}`;
    expect((await ask(made.body.key)).status).toBe(401);
    const rest = await Promise.all(Array.from({ length: 17 }, () => ask(key, '', 'POST', {})));
    expect(rest.map(({ status }) => status).sort()).toEqual([...Array(16).fill(201), 409]);
  });

  it.each([0, -1, 1.5, 4000, '30'])('cannot expire in %j days', async (expires_in_days) => {
    const key = await app.createAccount(`ends ${crypto.randomUUID().slice(0, 8)}`);
    expect(await ask(key, '', 'POST', { expires_in_days })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/expires_in_days' }] },
    });
  });

  it('have at most the scopes of the key that created them', async () => {
    const key = await app.createAccount('modest');
    expect(await ask(key, '', 'POST', { scopes: ['admin'] })).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    const narrow = await ask(key, '', 'POST', { scopes: ['run', 'keys'] });
    await ask(key, `/${(await ask(key)).body.data[1]?.id}`, 'DELETE');
    for (const scopes of [['submit'], ['admin'], ['run', 'submit', 'keys']])
      expect(await ask(narrow.body.key, '', 'POST', { scopes })).toMatchObject({ status: 403 });
    expect(await ask(narrow.body.key, '', 'POST', {})).toMatchObject({ body: { scopes: ['run', 'keys'] } });
  });

  it.each([[['submit']], [['run']], [['submit', 'run']]])(
    'with only %j neither create nor revoke keys',
    async (scopes) => {
      const first = await app.createAccount(`narrow ${scopes}`);
      const { body: narrow } = await ask(first, '', 'POST', { scopes });
      const { body: seen } = await ask(narrow.key);
      expect(seen.data).toHaveLength(2);
      const attempts = [
        ask(narrow.key, '', 'POST', {}),
        ask(narrow.key, '', 'POST', { scopes }),
        ask(narrow.key, '', 'POST', { scopes: ['keys'] }),
        ...seen.data.map(({ id }) => ask(narrow.key, `/${id}`, 'DELETE')),
        ask(narrow.key, '/key_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'DELETE'),
      ];
      for (const { status, body } of await Promise.all(attempts)) {
        expect(status).toBe(403);
        expect(body).toMatchObject({ code: 'scope_missing', detail: expect.stringContaining('"keys"') });
      }
      expect((await ask(first)).body.data.map(({ revoked_at }) => revoked_at)).toEqual([null, null]);
    },
  );

  it('with the admin scope are revoked only by admin keys', async () => {
    const { body: made } = await ask(adminKey, '', 'POST', { scopes: ['keys'] });
    const { body } = await ask(adminKey);
    const own = body.data.find(({ last_four }) => last_four === adminKey.slice(-4))?.id;
    expect(await ask(made.key, `/${own}`, 'DELETE')).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    expect((await ask(adminKey, `/${made.id}`, 'DELETE')).status).toBe(204);
  });

  it('of other accounts are accessible only to admins', async () => {
    const [mine, theirs] = await Promise.all([app.createAccount('mine'), app.createAccount('theirs')]);
    const { body } = await ask(mine);
    const id = body.data[0]?.id;
    expect((await ask(theirs, `/${id}`, 'DELETE')).status).toBe(404);
    expect((await ask(null)).status).toBe(401);
    expect((await ask(null, `/${id}`, 'DELETE')).status).toBe(401);
    expect((await ask(mine, '/key_x', 'DELETE')).status).toBe(404);
    expect((await ask(adminKey, `/${id}`, 'DELETE')).status).toBe(204);
    expect((await ask(mine)).status).toBe(401);
  });

  it.each([[{ scopes: [] }], [{ scopes: ['everything'] }], [{ scope: ['submit'] }], [[]], [5]])(
    '%j is rejected',
    async (body) => {
      const key = await app.createAccount(`refused ${JSON.stringify(body)}`);
      expect((await ask(key, '', 'POST', body)).status).toBe(422);
    },
  );
});
