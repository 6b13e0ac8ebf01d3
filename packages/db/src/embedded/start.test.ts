import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withConnection } from '../testing/connection.ts';
import { endFixtures, startFixture } from '../testing/fixture-process.ts';
import { makeTempFolder } from '../testing/temp-folder.ts';
import { type Embedded, startEmbedded } from './start.ts';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

let root = '';
let dataDir = '';
const running = new Set<Embedded>();

beforeEach(async () => {
  root = await makeTempFolder();
  dataDir = join(root, 'data');
});

afterEach(async () => {
  await endFixtures();
  for (const embedded of running) await embedded.stop();
  running.clear();
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
});

afterAll(endFixtures);

async function start(options: { fsync?: boolean } = { fsync: false }): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, log: () => {}, ...options });
  running.add(embedded);
  return embedded;
}

/** The server and all its child processes. */
function processesOf(cluster: string): number[] {
  if (!isLinux) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(cluster);
      } catch {
        return false;
      }
    })
    .map(Number);
}

const cluster = () => join(dataDir, 'postgres');
const drafts = async () => (await readdir(dataDir)).filter((name) => name.startsWith('postgres.init-'));

describe('the first start', () => {
  test('creates a durable UTF-8 server that is reachable only from this machine', async () => {
    const embedded = await start({});
    expect(embedded.adopted).toBe(false);
    const settings = await withConnection(
      embedded.url,
      (sql) => sql`
        select name, setting from pg_settings
        where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories',
          'server_encoding', 'max_connections', 'TimeZone')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      server_encoding: 'UTF8',
      max_connections: '200',
      TimeZone: 'UTC',
    });
    const [locale] = await withConnection(
      embedded.url,
      (sql) => sql`select datlocprovider, datlocale from pg_database where datname = current_database()`,
    );
    expect(locale).toEqual({ datlocprovider: 'b', datlocale: 'C.UTF-8' });
    expect(await drafts()).toEqual([]);
    if (isLinux) {
      // The server has a separate session and process group: Ctrl-C reaches this process first, and it drains.
      const fields = (await readFile(`/proc/${embedded.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      expect(fields.slice(2, 4)).toEqual([String(embedded.pid), String(embedded.pid)]);
    }
  });

  test('creates one server for several simultaneous starts', async () => {
    const all = await Promise.all([start(), start(), start()]);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
    expect(all.filter(({ adopted }) => !adopted)).toHaveLength(1);
    expect(await drafts()).toEqual([]);
  });

  // A fresh clone in a container runs as root, often below an inaccessible home directory.
  test.runIf(isRoot)('works for root, also below a directory that only root can access', async () => {
    await chmod(root, 0o700);
    for (let round = 0; round < 2; round += 1) {
      const embedded = await start();
      expect((await stat(`/proc/${embedded.pid}`)).uid).not.toBe(0);
      await withConnection(embedded.url, (sql) => sql`create table if not exists t (id int)`);
      await embedded.stop();
    }
    expect(processesOf(cluster())).toEqual([]);
  });

  test('succeeds after an earlier start was killed during initdb', async () => {
    const fixture = startFixture('start-embedded', dataDir);
    await expect.poll(async () => (await drafts().catch(() => [])).length, { interval: 5 }).toBe(1);
    const [draft = ''] = await drafts();
    await expect
      .poll(() => stat(join(dataDir, draft, 'data', 'global')).catch(() => null), { interval: 2 })
      .not.toBeNull();
    await fixture.kill('SIGKILL');
    expect(await stat(cluster()).catch(() => null)).toBeNull();

    const embedded = await start();
    expect(embedded.adopted).toBe(false);
    expect(await withConnection(embedded.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    // The orphaned initdb may still write during removal; a later start then completes it.
    await expect
      .poll(async () => {
        await (await start()).stop();
        return drafts();
      })
      .toEqual([]);
  });

  test('rejects a folder that is not a cluster, and names it', async () => {
    await mkdir(cluster(), { recursive: true });
    await writeFile(join(cluster(), 'notes.txt'), '');
    await expect(start()).rejects.toThrow(`${cluster()} is not a PostgreSQL data directory. Move it away.`);
  });
});

describe('an existing cluster', () => {
  // Creating a cluster takes a second, so these tests share them and leave them usable.
  const folders: string[] = [];

  beforeAll(async () => {
    const folder = await makeTempFolder();
    folders.push(folder);
    await (await startEmbedded({ dataDir: folder, log: () => {}, fsync: false })).stop();
  });

  beforeEach(() => {
    dataDir = folders[0] ?? '';
  });

  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  // Every account of the machine can connect to the port.
  test('requires the password, in a file that only this account can read', async () => {
    const { url } = await start();
    const mode = (await stat(join(dataDir, 'postgres.password'))).mode & 0o777;
    expect(mode).toBe(0o600);
    expect((await stat(join(dataDir, 'postgres.log'))).mode & 0o777).toBe(0o600);
    for (const password of ['', 'postgres']) {
      const guess = new URL(url);
      guess.password = password;
      await expect(withConnection(guess.href, (sql) => sql`select 1`)).rejects.toThrow(/password/);
    }
    const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim();
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(password);
    expect(await readFile(join(cluster(), 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#]*\btrust\b/m);
  });

  test('is adopted by the next start if its owner was killed with kill -9, and can be stopped', async () => {
    const fixture = startFixture('start-embedded', dataDir);
    const first = await fixture.next<{ url: string; pid: number; adopted: boolean }>();
    expect(first.adopted).toBe(false);
    await withConnection(first.url, (sql) => sql`create table adopted as select 42 as answer`);
    await fixture.kill('SIGKILL');

    const second = await start();
    expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url });
    expect(await withConnection(second.url, (sql) => sql`select answer from adopted`)).toEqual([{ answer: 42 }]);
    await second.stop();
    expect(processesOf(cluster())).toEqual([]);
  });

  // A submission that got status 201 must survive the crash.
  test('loses no acknowledged write if owner and server are killed with kill -9', async () => {
    const fixture = startFixture('start-embedded', dataDir);
    const { url, pid } = await fixture.next<{ url: string; pid: number }>();
    let acknowledged = 0;
    const writing = withConnection(url, async (sql) => {
      await sql`create table acks (n int primary key, filler text)`;
      for (;;) {
        await sql`insert into acks values (${acknowledged + 1}, ${'x'.repeat(500)})`;
        acknowledged += 1;
        if (acknowledged === 100) {
          process.kill(pid, 'SIGKILL');
          void fixture.kill('SIGKILL');
        }
      }
    });
    await expect(writing).rejects.toThrow();
    expect(acknowledged).toBeGreaterThanOrEqual(100);

    const again = await start();
    expect(again.adopted).toBe(false);
    const [row] = await withConnection(again.url, (sql) => sql`select count(*)::int as n, max(n) as last from acks`);
    expect(row?.n).toBe(row?.last);
    expect(row?.n).toBeGreaterThanOrEqual(acknowledged);
  });

  test('is stopped without remaining processes, keeps its data, and allows a second stop', async () => {
    const first = await start();
    await withConnection(first.url, (sql) => sql`create table kept as select 1 as n`);
    const idle = postgres(first.url, { max: 1 });
    await idle`select 1`;
    await Promise.all([first.stop(), first.stop()]);
    await idle.end({ timeout: 0 }).catch(() => {});
    expect(processesOf(cluster())).toEqual([]);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await withConnection(second.url, (sql) => sql`select n from kept`)).toEqual([{ n: 1 }]);
  });

  // A restarted container reuses small pids, and one of them is in the old lock file.
  test('ignores a lock file whose pid belongs to another program', async () => {
    const { uid, gid } = await stat(cluster());
    const stranger = spawn('sleep', ['60'], { ...(isRoot ? { uid, gid } : {}), cwd: '/', stdio: 'ignore' });
    try {
      const lockFile = join(cluster(), 'postmaster.pid');
      await writeFile(lockFile, `${stranger.pid}\n${cluster()}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n`, {
        mode: 0o600,
      });
      if (isRoot) await chown(lockFile, uid, gid);
      const embedded = await start();
      expect(embedded.adopted).toBe(false);
      expect(embedded.pid).not.toBe(stranger.pid);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test.runIf(isRoot)('accepts a copy restored by root', async () => {
    for (const entry of await readdir(cluster(), { recursive: true })) await chown(join(cluster(), entry), 0, 0);
    await chown(cluster(), 0, 0);
    const embedded = await start();
    expect(await withConnection(embedded.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('is rejected with a message for a missing password, a wrong password or another version', async () => {
    const file = join(dataDir, 'postgres.password');
    const password = await readFile(file, 'utf8');
    await rm(file);
    await expect(start()).rejects.toThrow(`The password of ${cluster()} is missing: restore ${file}.`);
    await writeFile(file, 'another', { mode: 0o600 });
    await expect(start()).rejects.toThrow(`${cluster()} does not accept the password in ${file}: restore it.`);
    expect(processesOf(cluster())).toEqual([]);
    await writeFile(file, password, { mode: 0o600 });
    const version = await readFile(join(cluster(), 'PG_VERSION'), 'utf8');
    await writeFile(join(cluster(), 'PG_VERSION'), '12\n');
    await expect(start()).rejects.toThrow(/did not start: database files are incompatible.*Set DATABASE_URL/);
    await writeFile(join(cluster(), 'PG_VERSION'), version);
  });
});
