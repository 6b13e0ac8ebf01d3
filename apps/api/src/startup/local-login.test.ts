import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';
import { ensureLocalLogin, isLocal } from './local-login.ts';

const app = useTestApp();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-login-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = () => join(folder, 'login.json');
const read = async () => JSON.parse(await readFile(file(), 'utf8')) as { url: string; key: string };
const start = async (url = 'http://localhost:8787') => {
  await ensureLocalLogin(app.deps.database.db, folder, url);
  return read();
};
const me = async (key: string) => {
  const response = await app.request('/v1/me', { headers: { authorization: `Bearer ${key}` } });
  const { key: used } = (await response.json()) as { key?: { scopes: string[] } };
  return { status: response.status, scopes: used?.scopes };
};

it('writes a key that can submit but not administer, readable only by its owner', async () => {
  const { url, key } = await start();
  expect(url).toBe('http://localhost:8787');
  expect(await me(key)).toEqual({ status: 200, scopes: ['submit', 'run'] });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

it('keeps the key at the next start, and writes a new URL and mode', async () => {
  const { key } = await read();
  await chmod(file(), 0o644);
  expect(await start('http://localhost:9000')).toEqual({ url: 'http://localhost:9000', key });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

it.each([
  ['is missing', () => rm(file())],
  ['is damaged', () => writeFile(file(), '{"key":')],
  ['has an unknown key', () => writeFile(file(), JSON.stringify({ url: 'http://localhost:8787', key: 'ib_other' }))],
])('replaces the key if the file %s', async (_, damage) => {
  const before = await read();
  await damage();
  const { key } = await start();
  expect(key).not.toBe(before.key);
  expect((await me(before.key)).status).toBe(401);
  expect((await me(key)).status).toBe(200);
});

it.each([
  ['127.0.0.1', undefined, true],
  ['0.0.0.0', undefined, false],
  ['127.0.0.1', 'postgres://localhost/inferboard', false],
])('writes it for a service on %s with the database %s: %s', (HOST, DATABASE_URL, expected) => {
  expect(isLocal({ HOST, DATABASE_URL })).toBe(expected);
});
