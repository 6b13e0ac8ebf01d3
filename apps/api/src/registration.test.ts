import { expect, it } from 'vitest';
import { adminKey, useTestApp } from './testing/index.ts';

const app = useTestApp({ registration: 'open' });

const register = (name: string, key?: string) =>
  app.request('/v1/accounts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ name }),
  });

it('is open to everyone, so many an hour, and to admins without end', async () => {
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
  expect(byAdmin.headers.get('ratelimit')).toBeNull();
});
