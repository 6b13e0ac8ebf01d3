import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminKey, createDataDir, type ServerPlace, startAt, type TestServer } from '../support/server.ts';
import { attackAll } from './run.ts';
import { World } from './world.ts';

/** Registration is open, and endpoints on this machine are allowed. */
const settings = { REGISTRATION: 'open', ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8' };
let place: ServerPlace;
let server: TestServer;

beforeAll(async () => {
  place = await createDataDir();
  server = await startAt(place, settings);
});
afterAll(async () => {
  await server?.stop();
  await place?.remove();
});

test('every attack fails, and the first page does not change', async () => {
  const lines: string[] = [];
  const world = new World({ url: server.url, adminKey, seed: 21 });
  const { attempts } = await attackAll(world, { say: (line) => lines.push(line) });
  expect(attempts).toBeGreaterThan(90);
  expect(lines.filter((line) => !line.startsWith('held'))).toEqual([]);
  // No attack failed merely because its requests could not be sent.
  expect(lines.filter((line) => /calls no addresses|not measured/.test(line))).toEqual([]);
});

test('a replaced ADMIN_KEY gives no access', async () => {
  await server.stop();
  const next = 'another-admin-key-0123456789abcdef';
  server = await startAt(place, { ...settings, ADMIN_KEY: next });
  const world = new World({ url: server.url, adminKey: next, seed: 22 });
  expect((await world.send('/v1/keys', { key: adminKey })).status).toBe(401);
  expect((await world.send('/v1/accounts', { key: adminKey, json: { name: 'by the old key' } })).status).toBe(401);
  expect((await world.send('/v1/keys', { key: next })).status).toBe(200);
});
