import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { DataDirLockedError, lockDataDir } from './data-dir-lock.ts';
import { endFixtures, type FixtureProcess, startFixture } from './testing/fixture-process.ts';

type Outcome = { locked: true } | { locked: false; message: string };

const folders: string[] = [];
let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'inferboard-lock-'));
  folders.push(dataDir);
});

afterAll(async () => {
  await endFixtures();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function startHolder(): Promise<FixtureProcess> {
  const holder = startFixture('hold-lock', dataDir);
  await holder.next();
  return holder;
}

async function tryIn(holder: FixtureProcess): Promise<Outcome> {
  holder.send('go');
  return holder.next<Outcome>();
}

// Two services on one directory would both assume that they own its database and its keys.
test('rejects a second process with one line that names the directory and the holder', async () => {
  const first = await startHolder();
  expect(await tryIn(first)).toEqual({ locked: true });
  const error = await lockDataDir(dataDir).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DataDirLockedError);
  expect(error).toMatchObject({ pid: first.pid, dataDir });
  expect(String(error)).toBe(
    `DataDirLockedError: ${dataDir} is in use by another process (pid ${first.pid}). Stop it, or set DATA_DIR to another directory.`,
  );
});

test('rejects a second lock in one process, until the first is released', async () => {
  const lock = await lockDataDir(dataDir);
  await expect(lockDataDir(dataDir)).rejects.toThrow(`pid ${process.pid}`);
  expect(await readFile(join(dataDir, 'instance.pid'), 'utf8')).toBe(String(process.pid));
  lock.release();
  lock.release();
  (await lockDataDir(dataDir)).release();
});

// An operator must never have to delete a lock file by hand.
test('is released by kill -9, and ignores the pid left in the file', async () => {
  for (let round = 0; round < 3; round += 1) {
    const holder = await startHolder();
    expect(await tryIn(holder)).toEqual({ locked: true });
    await holder.kill('SIGKILL');
  }
  (await lockDataDir(dataDir)).release();
});

test('is given to exactly one of ten simultaneous processes, and the others name it', async () => {
  const holders = await Promise.all(Array.from({ length: 10 }, startHolder));
  const outcomes = await Promise.all(holders.map(tryIn));
  const winners = holders.filter((_, index) => outcomes[index]?.locked);
  expect(winners).toHaveLength(1);
  for (const outcome of outcomes) {
    if (!outcome.locked) expect(outcome.message).toContain(`(pid ${winners[0]?.pid})`);
  }
  await winners[0]?.kill('SIGKILL');
  (await lockDataDir(dataDir)).release();
});

test('reports a directory that cannot be locked', async () => {
  await expect(lockDataDir('/proc/self')).rejects.toThrow(/^Cannot lock \/proc\/self \(/);
});
