import { expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ registration: 'open', writes: 100_000 });

const register = (name: string, key?: string) =>
  app.request('/v1/accounts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ name }),
  });

it('registration is limited by the hour for everyone and unlimited for admins', async () => {
  for (let i = 0; i < 30; i++) {
    const response = await register(`stranger ${i}`);
    expect(response.status).toBe(201);
    expect(response.headers.get('ratelimit-policy')).toBe('"registrations";q=30;w=3600');
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"registrations";r=${29 - i};t=\\d+$`));
  }
  const refused = await register('one too many');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit')).toMatch(/;r=0;/);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  const byAdmin = await register('by an admin', adminKey);
  expect(byAdmin.status).toBe(201);
  expect(byAdmin.headers.get('ratelimit')).not.toContain('registrations');
});

it('self-registered accounts have a daily submission limit in their first week; accounts created by admins do not', async () => {
  const { sql } = app.deps.database;
  await sql`delete from rate_limits`;
  const keyOf = async (response: Response) => ((await response.json()) as { key: { key: string } }).key.key;
  const artifact = 'llama 7B Q4_0';
  const submit = (key: string, query: Record<string, string> = {}) => app.submit(artifact, query, key);
  const left = (response: Response) => /"new-accounts";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1];
  const [itself, byAdmin] = [await keyOf(await register('itself')), await keyOf(await register('vouched', adminKey))];
  expect(left(await submit(itself, { dry_run: 'true' }))).toBeUndefined();
  expect(left(await submit(itself))).toBe('199');
  expect(left(await submit(byAdmin))).toBeUndefined();
  const [account] = await sql<{ id: string }[]>`select id from accounts where name = 'itself'`;
  const key = `new-accounts account ${account?.id}`;
  await sql`update rate_limits set busy_until = now() + interval '1 day' where key = ${key}`;
  const refused = await submit(itself);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Reads and dry runs still work.
  expect((await submit(itself, { dry_run: 'true' })).status).not.toBe(429);
  await sql`update accounts set created_at = now() - interval '8 days' where id = ${account?.id ?? ''}`;
  expect((await submit(itself)).status).not.toBe(429);
});
