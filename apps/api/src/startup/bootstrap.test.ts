import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { ensureAdmin } from './bootstrap.ts';

const app = useTestApp();

/** Starts a process with this ADMIN_KEY, or without one. */
const start = (fixedKey?: string) => ensureAdmin(app.deps.database.db, fixedKey);

async function statusOf(key: string | null): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await app.request('/v1/keys', { headers })).status;
}

/** Resets to an installation without an admin. */
async function forgetKeys(): Promise<void> {
  await app.deps.database.sql`truncate api_keys cascade`;
}

describe('ADMIN_KEY', () => {
  it('revokes the previous key if it changes', async () => {
    expect(await statusOf(adminKey)).toBe(200);
    expect(await start('the-second-admin-key-0123456789')).toEqual({
      generated: null,
      signInToken: null,
      revoked: false,
    });
    expect(await statusOf(adminKey)).toBe(401);
    expect(await statusOf('the-second-admin-key-0123456789')).toBe(200);
  });

  it('stays in use if it is unchanged, also if several processes start at once', async () => {
    const key = 'the-third-admin-key-01234567890';
    await Promise.all(Array.from({ length: 4 }, () => start(key)));
    await start(key);
    expect(await statusOf(key)).toBe(200);
  });

  // A process that restarts with the old settings must not revoke the key of processes with the new ones.
  it('gives no access if it is revoked, and other keys stay valid', async () => {
    const [earlier, current] = ['an-earlier-admin-key-0123456789', 'the-current-admin-key-012345678'];
    await start(earlier);
    await start(current);
    expect(await start(earlier)).toEqual({ generated: null, signInToken: null, revoked: true });
    expect(await statusOf(earlier)).toBe(401);
    expect(await statusOf(current)).toBe(200);
  });

  it('keeps the keys created with it', async () => {
    await start('a-key-that-makes-keys-0123456789');
    const made = await app.request('/v1/keys', {
      method: 'POST',
      headers: { authorization: 'Bearer a-key-that-makes-keys-0123456789', 'content-type': 'application/json' },
      body: '{}',
    });
    const { key } = (await made.json()) as { key: string };
    await start('the-key-that-comes-after-0123456');
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf('a-key-that-makes-keys-0123456789')).toBe(401);
  });

  // An operator may choose a key that looks like a generated one.
  it.each([
    'ib_review_admin_key_000000001',
    `ib_${'a'.repeat(36)}`,
    'twenty-four-characters!!',
    'a pass phrase of many words',
  ])('the fixed admin key %s is accepted', async (key) => {
    await start(key);
    const response = await app.request('/v1/accounts', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `by ${key}` }),
    });
    expect(response.status).toBe(201);
  });

  it('replaces a generated key', async () => {
    await forgetKeys();
    const { generated } = await start();
    await start('instead-of-the-generated-key-01');
    expect(await statusOf(generated)).toBe(401);
  });
});

describe('the generated admin key', () => {
  // A start that fails after generating the key may not have printed it.
  it('is created at every start until one is used, which revokes the others', async () => {
    await forgetKeys();
    const { generated: lost } = await start();
    const { generated: shown } = await start();
    expect(shown).toMatch(/^ib_/);
    expect(shown).not.toBe(lost);
    expect(await statusOf(shown)).toBe(200);
    expect(await statusOf(lost)).toBe(401);
    expect(await start()).toEqual({ generated: null, signInToken: null, revoked: false });
    expect(await statusOf(shown)).toBe(200);
  });

  it('works for each of several processes that start at once', async () => {
    await forgetKeys();
    const [first, second, third] = await Promise.all([start(), start(), start()]);
    expect(await statusOf(second?.generated ?? null)).toBe(200);
    expect(await statusOf(first?.generated ?? null)).toBe(401);
    expect(await statusOf(third?.generated ?? null)).toBe(401);
  });

  it('is limited to the newest ten, also after many restarts', async () => {
    await forgetKeys();
    const made: (string | null)[] = [];
    for (let count = 0; count < 12; count += 1) made.push((await start()).generated);
    const [live] = await app.deps.database.sql`select count(*)::int as n from api_keys where revoked_at is null`;
    expect(live?.n).toBe(10);
    expect(await statusOf(made[0] ?? null)).toBe(401);
    expect(await statusOf(made.at(-1) ?? null)).toBe(200);
  });

  it('is not stored, and its creation and revocation are logged', async () => {
    await forgetKeys();
    const { generated: lost } = await start();
    const { generated: shown } = await start();
    await statusOf(shown);
    const rows = await app.deps.database.sql`select to_jsonb(k) as row from api_keys k`;
    for (const key of [lost, shown]) expect(JSON.stringify(rows)).not.toContain(key?.slice(3, -4));
    const acts = await app.deps.database.sql`
      select act from audit_log where target in (select id from api_keys) order by id`;
    expect(acts.map(({ act }) => act)).toEqual(['key_created', 'key_created', 'key_revoked']);
  });
});

describe('the sign-in link at startup', () => {
  it('signs in once with the generated key, and revokes the other startup keys', async () => {
    await forgetKeys();
    const [earlier, { generated, signInToken }] = [await start(), await start()];
    const use = () =>
      app.request('/v1/sessions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link: signInToken }),
      });
    const response = await use();
    expect(response.status).toBe(201);
    const { token } = (await response.json()) as { token: string };
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(generated)).toBe(200);
    expect(await statusOf(earlier.generated)).toBe(401);
    expect((await use()).status).toBe(404);
    expect(await start()).toEqual({ generated: null, signInToken: null, revoked: false });
  });

  it('is not created if ADMIN_KEY is set', async () => {
    expect((await start('a-key-of-the-operator-0123456789')).signInToken).toBeNull();
  });
});
