import { expect, it } from 'vitest';
import { ensureAdmin } from './bootstrap.ts';
import { createKey, isPlausibleKey } from './keys.ts';
import { useTestApp } from './testing/index.ts';

const app = useTestApp();

it('keys are of one form, and never the same', () => {
  const keys = Array.from({ length: 100 }, createKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(key).toMatch(/^ib_[0-9A-Za-z]{36}$/);
    expect(isPlausibleKey(key)).toBe(true);
  }
});

// An operator's script may well choose a key that looks like ours.
it.each([
  'ib_review_admin_key_000000001',
  `ib_${'a'.repeat(36)}`,
  'twenty-four-characters!!',
  'a pass phrase of many words',
])('the fixed admin key %s is accepted', async (key) => {
  await ensureAdmin(app.deps.database.db, key);
  const response = await app.request('/v1/accounts', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `by ${key}` }),
  });
  expect(response.status).toBe(201);
});
