import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfObjects } from '../apps/api/src/startup/artifact-settings.ts';
import { builtCommand } from '../apps/api/src/testing/built-command.ts';
import { createArtifactStore, objectKey } from '../packages/db/src/artifacts/artifact-store.ts';
import { moveArtifacts } from '../packages/db/src/artifacts/move-artifacts.ts';
import { type ObjectStore, openBucket } from '../packages/db/src/artifacts/object-store.ts';
import { createDatabase, type Database } from '../packages/db/src/connection/client.ts';
import { removeOrphan } from '../packages/db/src/submissions/artifact-move.ts';
import { useTestDatabase } from '../packages/db/src/testing/index.ts';
import { sglangLine } from './support/hostile.ts';
import { type ObjectServer, startObjectServer } from './support/infra/object-store.ts';
import { createAccount, startAt, type TestServer } from './support/server.ts';

const run = promisify(execFile);
const command = builtCommand('move-artifacts');
const place = useTestDatabase();
const common = { SECRET_KEY: 'only for this test, and long', SAMPLE_DATA: 'false', ROLES: 'api' };

let objects: ObjectServer;
let bucket: ObjectStore;
let server: TestServer;
let database: Database;
let key: string;

beforeAll(async () => {
  objects = await startObjectServer();
  bucket = openBucket(objects.bucket);
  database = createDatabase(place.url, { poolSize: 3 });
  server = await startAt(
    { env: { DATABASE_URL: place.url }, remove: async () => {} },
    { ...common, ...objects.settings },
  );
  key = await createAccount(server.url, 'stored elsewhere');
});
afterAll(async () => {
  await server?.stop();
  await database?.close();
  await objects?.remove();
});

const lines = (first: number, count = 3) => Array.from({ length: count }, (_, i) => sglangLine(first + i)).join('\n');
const post = (body: string) =>
  fetch(`${server.url}/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function submit(body: string): Promise<string> {
  const response = await post(body);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** What a start without a bucket logs. */
async function logged(): Promise<string[]> {
  const lines: string[] = [];
  await warnOfObjects(database, (_level, message) => void lines.push(message));
  return lines;
}

const download = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/v1/submissions/${id}/artifact`, { headers });

async function rowOf(body: string) {
  const [row] = await database.sql<{ place: 's3' | null; packing: 'zstd' | null; bytes: Uint8Array | null }[]>`
    select place, packing, bytes from artifacts where sha256 = ${hashOf(body)}`;
  if (row === undefined) throw new Error('there is no such artifact');
  return { ...row, key: objectKey({ sha256: hashOf(body), packing: row.packing }) };
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const object of bucket.list('artifacts/')) found.push(object.key);
  return found;
}

describe('artifacts in an object store', () => {
  test('are stored only there, and are returned byte by byte, complete and in ranges', async () => {
    for (const body of [sglangLine(1), lines(10, 40), lines(1000, 1500)]) {
      const id = await submit(body);
      const row = await rowOf(body);
      expect([row.place, row.bytes]).toEqual(['s3', null]);
      expect(await bucket.get(row.key)).not.toBeNull();
      const whole = await download(id);
      expect(await whole.text()).toBe(body);
      expect(whole.headers.get('etag')).toBe(`"${hashOf(body)}"`);
      const part = await download(id, { range: 'bytes=5-24' });
      expect([part.status, await part.text()]).toEqual([206, body.slice(5, 25)]);
    }
  });

  test('list all objects across several pages', async () => {
    const names = Array.from({ length: 1100 }, (_, i) => `other/${String(i).padStart(5, '0')}`);
    for (let from = 0; from < names.length; from += 100)
      await Promise.all(names.slice(from, from + 100).map((name) => bucket.put(name, Buffer.from('x'))));
    const found: string[] = [];
    for await (const object of bucket.list('other/')) {
      found.push(object.key);
      expect(Math.abs(object.modifiedAt.getTime() - Date.now())).toBeLessThan(600_000);
    }
    expect(found).toEqual(names);
  });

  test('are rejected with 503 if the store is unavailable; other requests succeed', async () => {
    const id = await submit(lines(20));
    await objects.stop();
    try {
      for (const body of [lines(30), lines(5000, 1500)]) {
        const refused = await post(body);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
        expect(((await refused.json()) as { code: string }).code).toBe('artifact_unavailable');
        await expect(rowOf(body)).rejects.toThrow('no such artifact');
      }
      expect((await download(id)).status).toBe(503);
      expect((await fetch(`${server.url}/v1/submissions/${id}`)).status).toBe(200);
      expect((await fetch(`${server.url}/v1/leaderboard?rank_by=output_tok_s`)).status).toBe(200);
    } finally {
      await objects.start();
    }
    expect((await download(id)).status).toBe(200);
    expect((await post(lines(30))).status).toBe(201);
  });

  test('are reported if missing or damaged, and never returned with other bytes', async () => {
    const body = lines(40, 60);
    const id = await submit(body);
    const row = await rowOf(body);
    const stored = (await bucket.get(row.key)) ?? new Uint8Array();
    await bucket.put(row.key, stored.subarray(0, stored.length - 3));
    expect((await download(id)).status).toBe(503);
    await bucket.put(row.key, (await bucket.get((await rowOf(lines(20))).key)) ?? new Uint8Array());
    expect((await download(id)).status).toBe(503);
    await bucket.remove(row.key);
    expect((await download(id)).status).toBe(503);
    await bucket.put(row.key, stored);
    expect(await (await download(id)).text()).toBe(body);
  });

  test('are rejected with a wrong secret, which is in no message', async () => {
    const stranger = openBucket({ ...objects.bucket, secretAccessKey: 'another-secret' });
    const refusal = await stranger.put('artifacts/x', Buffer.from('x')).catch((error: Error) => error);
    expect(String(refusal)).toContain('SignatureDoesNotMatch');
    expect(String(refusal)).not.toContain('another-secret');
  });

  test('are moved to the database and back by a command, without loss', async () => {
    const bodies = [lines(40, 60), lines(10, 40), sglangLine(1)];
    const env = { PATH: process.env.PATH, DATABASE_URL: place.url, ...common, ...objects.settings };
    const back = await run(process.execPath, [command], { env: { ...env, ARTIFACT_STORE: 'database' } });
    expect(back.stdout).toMatch(/moved to the database/);
    for (const body of bodies) expect((await rowOf(body)).place).toBeNull();
    expect(await logged()).toEqual([]);
    const again = await run(process.execPath, [command], { env });
    expect(again.stdout).toMatch(/moved to the bucket inferboard-artifacts; 0 unused objects removed/);
    for (const body of bodies) expect(await rowOf(body)).toMatchObject({ place: 's3', bytes: null });
    expect(await logged()).toEqual([
      expect.stringMatching(/^Artifacts are in an object store, but .* Set S3_ENDPOINT/),
    ]);
    const once = await run(process.execPath, [command], { env });
    expect(once.stdout).toMatch(/^0 moved/m);
  });

  test('are deleted after a day without references, and kept otherwise', async () => {
    const orphan = objectKey({ sha256: hashOf('nobody sent this'), packing: null });
    await bucket.put(orphan, Buffer.from('nobody sent this'));
    const before = await keys();
    const store = createArtifactStore({ ...objects.bucket, takesNew: true });
    const sweep = (hours: number) => moveArtifacts(database, store, () => {}, new Date(Date.now() + hours * 3_600_000));
    expect(await sweep(23)).toMatchObject({ swept: 0 });
    await sweep(25);
    const named = await database.sql<{ sha256: string; packing: 'zstd' | null }[]>`
      select sha256, packing from artifacts where place = 's3'`;
    expect(before).toContain(orphan);
    expect(await keys()).toEqual(named.map(objectKey).sort());
  });

  test('keep their bytes if they are uploaded during the deletion of the same object', async () => {
    const store = createArtifactStore({ ...objects.bucket, takesNew: true });
    for (let round = 0; round < 15; round += 1) {
      const body = sglangLine(700 + round);
      const orphan = objectKey({ sha256: hashOf(body), packing: null });
      await bucket.put(orphan, Buffer.from(body));
      const [id] = await Promise.all([submit(body), removeOrphan(database.db, store, orphan)]);
      expect(await (await download(id)).text()).toBe(body);
    }
  });

  test('require all settings: the start fails with the name of a missing one', async () => {
    const { S3_BUCKET: _, ...half } = objects.settings;
    const start = startAt({ env: { DATABASE_URL: place.url }, remove: async () => {} }, { ...common, ...half });
    await expect(start).rejects.toThrow('the object store needs more settings. Set S3_BUCKET');
  });
});
