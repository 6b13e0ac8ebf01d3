import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../../packages/db/src/testing/index.ts';

const main = fileURLToPath(new URL('../../apps/api/src/main.ts', import.meta.url));

export const adminKey = 'test-admin-key-0123456789abcdef';

/** The whole product as a process of its own, as an operator would run it. */
export interface TestServer {
  url: string;
  process: ChildProcess;
  /** What it printed so far, line by line. */
  output: string[];
  /** Milliseconds from spawn to the line that names the URL. */
  readyMs: number;
  /** Ctrl-C; answers the exit code. */
  stop(): Promise<number | null>;
  /** The power cord. */
  kill(): Promise<void>;
  /** Stops it, and removes its data. */
  dispose(): Promise<void>;
}

export interface ServerPlace {
  /** Settings that make a process use the same data again. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A killed service leaves its embedded database running, on purpose; a test must not. */
async function endEmbedded(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (!(pid > 1)) return;
  try {
    process.kill(pid, 'SIGQUIT');
    for (let i = 0; i < 200; i += 1) {
      process.kill(pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  } catch {
    // it is gone
  }
}

/** Somewhere for a service to keep its data: a directory of its own, or a database of its own where tests have a server. */
export async function createPlace(): Promise<ServerPlace> {
  if (process.env.DATABASE_URL) {
    const database = await createTestDatabase();
    return { env: { DATABASE_URL: database.url }, remove: () => database.drop() };
  }
  return createDataDir();
}

/** A data directory of its own, whatever database the other tests use. */
export async function createDataDir(): Promise<ServerPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inferboard-test-'));
  return {
    env: { DATA_DIR: dataDir },
    remove: async () => {
      await endEmbedded(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the service at a place and waits for the line that names its URL. */
export async function startAt(place: ServerPlace, settings: Record<string, string> = {}): Promise<TestServer> {
  const port = await freePort();
  const { DATABASE_URL: _, ...inherited } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, [main], {
    // All tests come from one address, and together ask more than a person would.
    env: {
      ...inherited,
      RATE_LIMIT_READS: 'off',
      RATE_LIMIT_WRITES: 'off',
      // Tests count the rows of the sample; published figures are for those that ask for them.
      SAMPLE_DATA: 'seeds',
      // Tests of counts and caches need to know which process answers.
      PROCESSES: '1',
      PORT: String(port),
      ADMIN_KEY: adminKey,
      ...place.env,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line);
        if (line.includes('Inferboard is ready: ')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${output.join('\n')}`)));
  });
  await ready;
  let isAskedTo = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code, signal) => {
      if (!isAskedTo) console.warn(`The service ended by itself (${signal ?? code}):\n${output.slice(-20).join('\n')}`);
      resolve(code);
    });
  });
  const end = async (signal: NodeJS.Signals) => {
    isAskedTo = true;
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exited;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    output,
    readyMs: performance.now() - started,
    stop: () => end('SIGINT'),
    kill: async () => {
      await end('SIGKILL');
    },
    dispose: async () => {
      await end('SIGINT');
      await place.remove();
    },
  };
}

/** A service with the sample data at a place of its own. Dispose of it when done. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const place = await createPlace();
  try {
    return await startAt(place, settings);
  } catch (error) {
    await place.remove();
    throw error;
  }
}

/** A new account's key, as its admin would make it. */
export async function createAccount(url: string, name: string): Promise<string> {
  const response = await fetch(`${url}/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (response.status !== 201) throw new Error(`POST /v1/accounts: ${response.status} ${await response.text()}`);
  const account = (await response.json()) as { key: { key: string } };
  return account.key.key;
}
