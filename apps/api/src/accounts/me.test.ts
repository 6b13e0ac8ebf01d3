import { expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

// Clients use this to check a stored key and its scopes before a run of an hour.

const app = useTestApp();
const ask = async (key: string | null) =>
  app.request('/v1/me', key === null ? {} : { headers: { authorization: `Bearer ${key}` } });

it('returns the account of the key and its scopes', async () => {
  const key = await app.createAccount('my-lab');
  const response = await ask(key);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('private, no-cache');
  expect(await response.json()).toMatchObject({
    account: { name: 'my-lab', standing: 'vouched' },
    key: { id: expect.stringMatching(/^key_/), scopes: ['submit', 'run', 'keys'] },
  });
  expect(await (await ask(adminKey)).json()).toMatchObject({ key: { scopes: expect.arrayContaining(['admin']) } });
});

it('rejects requests without a key', async () => {
  expect((await ask(null)).status).toBe(401);
  expect((await ask('garbage')).status).toBe(401);
});
