import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ registration: 'open', establishedAfterDays: 0, writes: 100_000 });

interface Account {
  id: string;
  name: string;
  standing: string;
  created_at: string;
  key: { key: string; scopes: string[] };
  code: string;
  errors: { message: string }[];
}

async function ask(method: string, path: string, key: string | null, body?: unknown) {
  const response = await app.request(path, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Account };
}

const register = async (name: string, key: string | null = null) =>
  (await ask('POST', '/v1/accounts', key, { name })).body;
const vouch = (id: string, key: string | null = adminKey, body?: unknown) =>
  ask('POST', `/v1/accounts/${id}/vouch`, key, body);
const withdraw = (id: string, key: string | null = adminKey) => ask('DELETE', `/v1/accounts/${id}/vouch`, key);
const nobody = 'acc_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f';

let stranger: Account;
beforeAll(async () => {
  stranger = await register('stranger');
});

describe('an account', () => {
  it('is new if it registered itself, and vouched if an admin created it', async () => {
    expect(stranger).toMatchObject({ standing: 'new', key: { scopes: ['submit', 'run', 'keys'] } });
    const made = await register('made by an admin', adminKey);
    expect(made.standing).toBe('vouched');
    // A key of an account that is not an admin does not make the new account established.
    expect((await register('made by a stranger', stranger.key.key)).standing).toBe('new');
    const { sql } = app.deps.database;
    const rows = await sql`select name, standing, vouched_by is not null as "isByAdmin" from accounts order by name`;
    expect([...rows]).toEqual([
      { name: 'admin', standing: 'vouched', isByAdmin: false },
      { name: 'made by a stranger', standing: 'new', isByAdmin: false },
      { name: 'made by an admin', standing: 'vouched', isByAdmin: true },
      { name: 'stranger', standing: 'new', isByAdmin: false },
    ]);
  });

  it('is shown to everyone with its standing and without its keys', async () => {
    const { key: _, ...shown } = stranger;
    expect(await ask('GET', `/v1/accounts/${stranger.id}`, null)).toEqual({
      status: 200,
      body: { ...shown, signing_keys: [] },
    });
    expect((await ask('GET', `/v1/accounts/${nobody}`, null)).status).toBe(404);
    expect((await ask('GET', '/v1/accounts/stranger', null)).status).toBe(404);
  });
});

describe('an account name', () => {
  it.each([
    ['аdmin', '"а" (U+0430, Cyrillic)'],
    ['admin\u200b', 'U+200B'],
    ['\u202enimda', 'U+202E'],
    ['ａdmin2', '"ａ" (U+FF41)'],
    ['Admin', 'reserved'],
    ['adm1n', 'reserved'],
    ['Infer Board', 'reserved'],
    ['Buy GPUs at evil.example', 'evil.example'],
  ])('%j is rejected with the reason, for admins too', async (name, named) => {
    for (const key of [null, adminKey]) {
      const { status, body } = await ask('POST', '/v1/accounts', key, { name });
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ code: 'value_invalid', pointer: '/name' }]);
      expect(body.errors[0]?.message).toContain(named);
    }
  });

  it('is missing in a body that is not an object, and a field with a slash is unknown', async () => {
    const faultsOf = async (body: unknown) => (await ask('POST', '/v1/accounts', adminKey, body)).body.errors;
    expect(await faultsOf([])).toMatchObject([{ pointer: '', message: 'The body must be an object' }]);
    expect(await faultsOf({ name: 'someone', 'a/b': 1 })).toMatchObject([{ code: 'field_unknown', pointer: '/a~1b' }]);
  });

  it('is rejected if it resembles an existing name', async () => {
    expect((await register('Lab-42')).standing).toBe('new');
    for (const name of ['lab-42', 'LAB 42', 'lab_42', 'Láb-42'])
      expect(await ask('POST', '/v1/accounts', null, { name })).toMatchObject({
        status: 409,
        body: { code: 'account_name_taken' },
      });
    expect((await register('хор')).standing).toBe('new');
    expect((await ask('POST', '/v1/accounts', null, { name: 'xop' })).status).toBe(409);
  });

  // An earlier release stored no folded name.
  it('is compared with names that an earlier release stored', async () => {
    const { sql } = app.deps.database;
    await sql`insert into accounts (id, name) values ('acc_00000000000000000000000000000000', 'From Before')`;
    expect((await ask('POST', '/v1/accounts', null, { name: 'FROM before' })).status).toBe(409);
  });
});

describe('vouching for an account', () => {
  it('sets the standing to vouched; withdrawing restores the earned standing; the audit log has both', async () => {
    const { id } = await register('to be vouched for');
    expect(await vouch(id, adminKey, { note: 'They run our cluster.' })).toMatchObject({
      status: 200,
      body: { id, standing: 'vouched' },
    });
    expect(await vouch(id)).toMatchObject({ status: 200, body: { standing: 'vouched' } });
    expect((await ask('GET', `/v1/accounts/${id}`, null)).body.standing).toBe('vouched');
    expect(await withdraw(id)).toMatchObject({ status: 200, body: { id, standing: 'new' } });
    expect(await withdraw(id)).toMatchObject({ status: 200, body: { standing: 'new' } });
    const acts = await app.deps.database.sql`select act, detail from audit_log where target = ${id} order by id`;
    expect([...acts]).toEqual([
      { act: 'account_vouched', detail: { note: 'They run our cluster.' } },
      { act: 'account_vouch_withdrawn', detail: {} },
    ]);
  });

  it('requires an admin key and an existing account', async () => {
    const { id, key } = stranger;
    for (const act of [vouch, withdraw]) {
      expect((await act(id, null)).status).toBe(401);
      expect(await act(id, key.key)).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
      expect(await act(nobody)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect((await act('stranger')).status).toBe(404);
    }
    expect((await ask('GET', `/v1/accounts/${id}`, null)).body.standing).toBe('new');
  });

  it.each([[{ note: '' }], [{ note: 5 }], [{ note: 'x'.repeat(2001) }], [{ why: 'a' }], [[]], [null]])(
    'rejects the body %j',
    async (body) => {
      expect((await vouch(stranger.id, adminKey, body)).status).toBe(422);
    },
  );
});
