import { expect, it } from 'vitest';
import { createKey } from '../../apps/api/src/accounts/keys.ts';
import { adminKey, useTestApp } from '../../apps/api/src/testing/index.ts';
import { changes, readState } from '../support/database-state.ts';
import { listOperations } from '../support/operations.ts';

// Open registration gives anonymous clients one operation. All others require a key.

const app = useTestApp({ registration: 'open' });

let made = 0;
let registered: string | null = null;
async function register(authorization: string | null, method = 'POST') {
  made += 1;
  const response = await app.request('/v1/accounts', {
    method,
    headers: { 'content-type': 'application/json', ...(authorization !== null && { authorization }) },
    ...(method === 'POST' && { body: JSON.stringify({ name: `stranger ${made}` }) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: () => JSON.parse(text) as { key: { id: string; key: string; scopes: string[] } },
  };
}

const stateOf = () => readState(app.deps.database.sql);

it('creates an account without the admin scope, with no key or a valid one', async () => {
  const first = (await register(null)).json().key;
  for (const authorization of [null, `Bearer ${first.key}`, `Bearer ${adminKey}`]) {
    const { status, json } = await register(authorization);
    expect(status).toBe(201);
    expect(json().key.scopes).toEqual(['submit', 'run', 'keys']);
  }
});

it.each<[string, () => Promise<string>]>([
  ['invalid text', async () => 'Bearer garbage'],
  ['an unknown key in the right format', async () => `Bearer ${createKey()}`],
  ['another authentication scheme', async () => `Basic ${(await register(null)).json().key.key}`],
  ['a revoked key', revokedKey],
])('creates no account for %s', async (_, authorizationOf) => {
  const authorization = await authorizationOf();
  const before = await stateOf();
  expect((await register(authorization)).status).toBe(401);
  expect(changes(before, await stateOf())).toEqual({ gone: [], came: [] });
});

async function revokedKey(): Promise<string> {
  const { key, id } = (await register(null)).json().key;
  const authorization = `Bearer ${key}`;
  const response = await app.request(`/v1/keys/${id}`, { method: 'DELETE', headers: { authorization } });
  expect(response.status).toBe(204);
  return authorization;
}

const secured = listOperations().filter(({ id, scopes }) => scopes !== null && id !== 'createAccount');
const ask = (operation: (typeof secured)[number], key: string | null) =>
  app.request(operation.template.replace(/\{[^}]+\}/g, 'x'), {
    method: operation.method,
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }) },
  });

it.each(secured.map((operation) => [`${operation.method} ${operation.template}`, operation] as const))(
  '%s still requires a key, and an admin key where it did before',
  async (_, operation) => {
    const before = await stateOf();
    const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
    // Anonymous clients can also submit; this body is empty.
    const refused = operation.id === 'createSubmission' ? 422 : 401;
    for (const method of methods) expect((await ask({ ...operation, method }, null)).status).toBe(refused);
    expect(changes(before, await stateOf())).toEqual({ gone: [], came: [] });
    // One account for all tests: an IP address can create 30 per hour.
    registered ??= (await register(null)).json().key.key;
    const key = registered;
    const isForAdmins = operation.scopes?.includes('admin') ?? false;
    expect((await ask(operation, key)).status === 403).toBe(isForAdmins);
  },
);

it('does not list or return accounts', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) expect((await register(null, method)).status).toBe(405);
});
