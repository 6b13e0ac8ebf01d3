// Artifacts in an object store: a dump includes their bytes, so a restored database needs no store.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtCommand } from '../apps/api/src/testing/built-command.ts';
import { createDatabase } from '../packages/db/src/connection/client.ts';
import { restoreDump } from '../packages/db/src/dump/restore-dump.ts';
import { writeDump } from '../packages/db/src/dump/write-dump.ts';
import { findArtifactOfSubmission } from '../packages/db/src/submissions/artifact-find.ts';
import { createTestDatabase, useTestDatabase } from '../packages/db/src/testing/index.ts';
import { sglangLine } from './support/hostile.ts';
import { type ObjectServer, startObjectServer } from './support/infra/object-store.ts';
import { createAccount, startAt } from './support/server.ts';

const run = promisify(execFile);
const place = useTestDatabase();
/** One artifact that is stored unchanged, and two compressed ones. */
const bodies = [1, 100, 200].map((first, at) =>
  Array.from({ length: 1 + at * 40 }, (_, line) => sglangLine(first + line)).join('\n'),
);
const submissions: string[] = [];
let objects: ObjectServer;
let folder = '';

const command = builtCommand('dump');

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'inferboard-dump-')), 'dump');
  objects = await startObjectServer();
  const common = { SECRET_KEY: 'only for this test, and long', SAMPLE_DATA: 'false', ROLES: 'api' };
  const at = { env: { DATABASE_URL: place.url }, remove: async () => {} };
  const server = await startAt(at, { ...common, ...objects.settings });
  try {
    const key = await createAccount(server.url, 'stored elsewhere');
    for (const body of bodies) {
      const query = 'model=unspecified&gpu=unspecified&quantization=bf16';
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${server.url}/v1/submissions?${query}`, { method: 'POST', headers, body });
      submissions.push(((await response.json()) as { id: string }).id);
    }
  } finally {
    await server.stop();
  }
});
afterAll(async () => {
  await objects?.remove();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

test('dumping requires the object store; the restored database has every byte', async () => {
  await expect(writeDump(place.url, folder, { release: 'x' })).rejects.toThrow('that is not configured');
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: place.url, ...objects.settings };
  const { stdout } = await run(process.execPath, [command, folder], { env });
  expect(stdout).toContain('3 artifacts from the object store');
  const restored = await createTestDatabase();
  const { db, sql, close } = createDatabase(restored.url, { poolSize: 1 });
  try {
    await restoreDump(restored.url, folder);
    for (const [at, body] of bodies.entries()) {
      const artifact = await findArtifactOfSubmission(db, submissions[at] ?? '');
      expect(Buffer.from(artifact?.bytes ?? []).toString()).toBe(body);
    }
    expect(await sql`select count(*)::int as n from artifacts where place is not null`).toEqual([{ n: 0 }]);
  } finally {
    await close();
    await restored.drop();
  }
});

test('names a changed or missing artifact file, and restores nothing', async () => {
  const [first = ''] = await readdir(join(folder, 'objects'));
  const [name = ''] = await readdir(join(folder, 'objects', first));
  const broken = `${folder}-broken`;
  await cp(folder, broken, { recursive: true });
  const path = join(broken, 'objects', first, name);
  const restored = await createTestDatabase();
  try {
    for (const spoil of [() => writeFile(path, 'other bytes'), () => rm(path)]) {
      await spoil();
      await expect(restoreDump(restored.url, broken)).rejects.toThrow(name);
    }
    expect((await restoreDump(restored.url, folder)).manifest.objects).toBe(3);
  } finally {
    await restored.drop();
  }
});
