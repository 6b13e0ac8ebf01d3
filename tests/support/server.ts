import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, templateWith } from '../../packages/db/src/testing/index.ts';

/** Tests start the built service, as `npm start` does: it reads few files. */
const entry = process.env.VITEST === undefined ? 'src/main.ts' : 'dist/main.js';
const main = fileURLToPath(new URL(`../../apps/api/${entry}`, import.meta.url));

/** Tests count the rows of the sample data; published figures are opt-in. */
const usualSampleData = 'seeds';

const secretKey = 'a-secret-key-of-the-tests-0123456789';
export const adminKey = 'test-admin-key-0123456789abcdef';

/** The complete product in a separate process, as an operator runs it. */
export interface TestServer {
  url: string;
  process: ChildProcess;
  /** Its output so far, by line. */
  output: string[];
  /** Milliseconds from spawn to the line with the URL. */
  readyMs: number;
  /** Sends SIGINT; returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, as in a power failure. */
  kill(): Promise<void>;
  /** Stops it and deletes its data. */
  dispose(): Promise<void>;
}

export interface ServerPlace {
  /** Settings for another process on the same data. */
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

/** A killed service intentionally leaves its embedded database running; tests must stop it. */
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
    // It has already exited.
  }
}

/** A new database on the server of the tests, cloned from a template; outside of tests, a new data directory. */
export async function createPlace(template?: string): Promise<ServerPlace> {
  if (process.env.VITEST === undefined) return createDataDir();
  const database = await createTestDatabase(template);
  // A data directory has a separate key.
  return { env: { DATABASE_URL: database.url, SECRET_KEY: secretKey }, remove: () => database.drop() };
}

/** Parts of the sample data that many test files need: a service loads each once in a run of the tests. */
const sharedSamples = ['seeds', 'public', 'true'];

/** A new database in which a service has already loaded the sample data. */
async function createPlaceWith(sampleData: string): Promise<ServerPlace> {
  if (process.env.VITEST === undefined || !sharedSamples.includes(sampleData)) return createPlace();
  const template = await templateWith(sampleData, async (url) => {
    const server = await startAt(
      { env: { DATABASE_URL: url }, remove: async () => {} },
      { SAMPLE_DATA: sampleData, ROLES: 'api' },
    );
    await server.stop();
  });
  return createPlace(template);
}

/** A new data directory, regardless of the database of the other tests. */
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

/** Starts the service on the given data and waits for the line with its URL. */
export async function startAt(place: ServerPlace, settings: Record<string, string> = {}): Promise<TestServer> {
  const port = await freePort();
  const { DATABASE_URL: _, ...inherited } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, [main], {
    // All tests share one IP address and send more requests than a user would.
    env: {
      ...inherited,
      RATE_LIMIT_READS: 'off',
      RATE_LIMIT_WRITES: 'off',
      SAMPLE_DATA: usualSampleData,
      // Tests of counters and caches need a known process.
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

/** A service with the sample data on new storage. Dispose of it when done. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const place = await createPlaceWith(settings.SAMPLE_DATA ?? usualSampleData);
  try {
    return await startAt(place, settings);
  } catch (error) {
    await place.remove();
    throw error;
  }
}

/** The key of a new account, created by the admin. */
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
