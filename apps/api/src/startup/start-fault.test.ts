import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '@inferboard/db/testing/index';
import { afterAll, expect, it } from 'vitest';

// Starts real processes and checks that the operator sees one line.

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'inferboard-start-'));
chmodSync(folder, 0o777);
afterAll(() => {
  if (small !== null) spawnSync('umount', [small]);
  rmSync(folder, { recursive: true, force: true });
});

function start(settings: Record<string, string>, uid?: number): Promise<{ code: number | null; errors: string[] }> {
  const env = { PATH: process.env.PATH ?? '', PORT: '0', SAMPLE_DATA: 'false', LOG_LEVEL: 'error', ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'], ...(uid && { uid }) });
  let text = '';
  child.stderr.on('data', (piece) => {
    text += piece;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, errors: text.split('\n').filter((line) => line !== '') }));
  });
}

/** Creates a path in the folder. */
function made(name: string, make: (path: string) => void): string {
  const path = join(folder, name);
  make(path);
  return path;
}

const server = await createTestDatabase();
afterAll(() => server.drop());

/** The URL of the database for a session that is read-only, as on a standby. */
function readOnly(): string {
  const url = new URL(server.url);
  url.searchParams.set('default_transaction_read_only', 'on');
  return url.href;
}

const secret = { SECRET_KEY: 'a secret key of sixteen or more' };

it.each<[name: string, settings: Record<string, string>, line: RegExp]>([
  [
    'a DATA_DIR that is a file',
    { DATA_DIR: made('file', (path) => writeFileSync(path, '')) },
    /^Cannot start: DATA_DIR is \S+\/file: it is a file, not a directory \(EEXIST\)\.$/,
  ],
  ['a DATA_DIR below a file', { DATA_DIR: join(folder, 'file', 'x') }, /^Cannot start: DATA_DIR is .*ENOTDIR/],
  [
    'an invalid lock file',
    {
      DATA_DIR: made('locked', (path) => {
        mkdirSync(path);
        writeFileSync(join(path, 'instance.lock'), 'x'.repeat(4096));
      }),
    },
    /^Cannot start: DATA_DIR: Cannot lock /,
  ],
  [
    'a database that does not run',
    { DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x', ...secret },
    /^Cannot start: the database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'a database at an unknown host',
    { DATABASE_URL: 'postgres://u:hidden@nohost.invalid/x', ...secret },
    /^Cannot start: the database of DATABASE_URL cannot be reached: .*nohost\.invalid$/,
  ],
  [
    'a read-only database',
    { DATABASE_URL: readOnly(), ...secret },
    /^Cannot start: the database of DATABASE_URL is read-only\. Give the primary, not a standby\. \(25006\)$/,
  ],
  [
    'an address of another machine',
    { HOST: '203.0.113.9', DATA_DIR: join(folder, 'elsewhere') },
    /^Cannot start: PORT \d+ on 203\.0\.113\.9 cannot be used: no network interface of this machine has the address in HOST\.$/,
  ],
  [
    'a host that does not exist',
    { HOST: 'nohost.invalid', DATA_DIR: join(folder, 'elsewhere') },
    /^Cannot start: PORT \d+ on nohost\.invalid cannot be used: the name in HOST cannot be resolved/,
  ],
  ['a short SECRET_KEY', { SECRET_KEY: 'short' }, /^Cannot start: SECRET_KEY must have 16 characters or more\.$/],
])('%s is reported in one line', async (_, settings, line) => {
  for (const PROCESSES of ['1', '2']) {
    const { code, errors } = await start({ ...settings, PROCESSES });
    expect([code, errors.length], errors.join('\n')).toEqual([1, 1]);
    expect(errors[0]).toMatch(line);
    expect(errors[0]).not.toContain('hidden');
  }
});

/** Whether every user may read a path: each directory above it can be entered. */
const isOpenToAll = (path: string): boolean => {
  const above = dirname(path);
  return above === path || ((statSync(above).mode & 0o001) !== 0 && isOpenToAll(above));
};

// Root can write everywhere, so the process runs as another user, who must be able to read the checkout.
it.runIf(process.getuid?.() === 0 && isOpenToAll(main) && isOpenToAll(process.execPath))(
  'a DATA_DIR of another user is reported in one line',
  async () => {
    const theirs = made('theirs', (path) => mkdirSync(path, { mode: 0o755 }));
    const { code, errors } = await start({ DATA_DIR: join(theirs, 'data'), PROCESSES: '1' }, 65_534);
    expect([code, errors.length], errors.join('\n')).toEqual([1, 1]);
    expect(errors[0]).toMatch(/^Cannot start: DATA_DIR is \S+: permission denied \(EACCES\)\.$/);
  },
);

/** Mounts a file system of 1 MB, if this user may. */
function mountSmall(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const path = made('small', (at) => mkdirSync(at));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
  return status === 0 ? path : null;
}
const small = mountSmall();

it.runIf(small !== null)('a full disk is reported in one line', async () => {
  const { code, errors } = await start({ DATA_DIR: join(small ?? '', 'data'), PROCESSES: '1' });
  expect([code, errors.length], errors.join('\n')).toEqual([1, 1]);
  expect(errors[0]).toMatch(
    /^(?:Cannot start: DATA_DIR is \S+: the disk is full|initdb could not create a database cluster \()/,
  );
});
