import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { insertAccount } from '@inferboard/db/accounts/account';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { insertEndpoint, readCredential } from '@inferboard/db/runs/endpoint';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createKeyring, open, seal } from '@inferboard/outbound/sealed-secrets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtCommand } from '../testing/built-command.ts';

const run = promisify(execFile);
const main = builtCommand('rotate-secrets');
const keys = { old: 'the-old-key-0123456789', next: 'the-new-key-0123456789', lost: 'the-lost-key-0123456789' };
const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 2 });
  accountId = (await insertAccount(database.db, 'operator'))?.id ?? '';
});
afterAll(() => database.close());

async function addSealed(name: string, key: string): Promise<string> {
  const keyring = await createKeyring(key);
  const row = await insertEndpoint(
    database.db,
    { accountId, name, baseUrl: 'https://llm.example.com/v1', model: 'm', facts: {}, proofToken: 'token' },
    (id) => seal(keyring, { table: 'endpoints', id }, `secret of ${name}`),
  );
  if (typeof row === 'string') throw new Error(row);
  return row.id;
}

async function rotate(settings: Record<string, string>) {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: testDatabase.url, ...settings };
  return run(process.execPath, [main], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

async function openWith(key: string, id: string): Promise<string> {
  const sealed = await readCredential(database.db, id);
  if (sealed === null) throw new Error('nothing is sealed');
  return open(await createKeyring(key), { table: 'endpoints', id }, sealed);
}

test('rejects arguments and changes nothing', async () => {
  const id = await addSealed('untouched', keys.old);
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: testDatabase.url, SECRET_KEY: keys.next };
  const asked = run(process.execPath, [main, '--help'], { env: { ...env, SECRET_KEY_EARLIER: keys.old } });
  await expect(asked).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no arguments') });
  expect(await openWith(keys.old, id)).toBe('secret of untouched');
  await database.sql`delete from endpoints where id = ${id}`;
});

test('re-encrypts secrets with the new key; the old key no longer decrypts them', async () => {
  const ids = await Promise.all(['one', 'two', 'three'].map((name) => addSealed(name, keys.old)));
  const { code, text } = await rotate({ SECRET_KEY: keys.next, SECRET_KEY_EARLIER: keys.old });
  expect(text).toMatch(/Secrets re-encrypted with the key key_\w+: 3\n/);
  expect(code).toBe(0);
  for (const [at, id] of ids.entries()) {
    expect(await openWith(keys.next, id)).toBe(`secret of ${['one', 'two', 'three'][at]}`);
    await expect(openWith(keys.old, id)).rejects.toThrow('another master key');
  }
  expect((await rotate({ SECRET_KEY: keys.next })).text).toMatch(/: 0\. All secrets use this key/);
});

test('lists the secrets that no given key decrypts, and does not change them', async () => {
  const id = await addSealed('lost', keys.lost);
  const { code, text } = await rotate({ SECRET_KEY: keys.next, SECRET_KEY_EARLIER: keys.old });
  expect(code).toBe(1);
  expect(text).toContain(`${id}. Add the key to SECRET_KEY_EARLIER.`);
  expect(text).not.toContain('secret of');
  expect(await openWith(keys.lost, id)).toBe('secret of lost');
});

test('reports a missing encryption key', async () => {
  expect(await rotate({})).toMatchObject({ code: 1, text: expect.stringContaining('SECRET_KEY is not set') });
});
