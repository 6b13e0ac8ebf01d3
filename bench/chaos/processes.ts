import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildOnce } from '../../scripts/build-once.mjs';
import { probe } from '../../tests/support/infra/layout.ts';

const main = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));

export const adminKey = 'chaos-admin-key-0123456789abcdef';

/** The service as a separate process. */
export interface Service {
  url: string;
  pid: number;
  /** From the start to the first 200 of `/readyz`, ms. */
  ready_ms: number;
  isAlive(): boolean;
  /** Its exit code and stop duration. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; took_ms: number }>;
  log(): string;
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/**
 * Starts the built service, as `npm start` does, and waits until it is ready.
 *
 * @param settings in addition to the port and the admin key; must include `DATABASE_URL` or `DATA_DIR`
 * @throws Error with its log if it exits or is not ready within a minute
 */
export async function startService(folder: string, port: number, settings: Record<string, string>): Promise<Service> {
  await buildOnce();
  const logFile = join(folder, `service-${port}.log`);
  const file = openSync(logFile, 'a');
  const begun = performance.now();
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ADMIN_KEY: adminKey,
      ROLES: 'api',
      SAMPLE_DATA: 'false',
      SECRET_KEY: 'of the chaos alone',
      RATE_LIMIT_READS: 'off',
      RATE_LIMIT_WRITES: 'off',
      PROCESSES: '1',
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const url = `http://127.0.0.1:${port}`;
  const log = () => readFileSync(logFile, 'utf8');
  while ((await probe(`${url}/readyz`)) !== 200) {
    if (!isRunning(child)) throw new Error(`the service ended with ${child.exitCode}:\n${log()}`);
    if (performance.now() - begun > 60_000) throw new Error(`the service is not ready:\n${log()}`);
    await sleep(20);
  }
  return {
    url,
    pid: child.pid ?? 0,
    ready_ms: performance.now() - begun,
    isAlive: () => isRunning(child),
    end: async (signal) => {
      const signalled = performance.now();
      if (isRunning(child)) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      return { code: child.exitCode, took_ms: performance.now() - signalled };
    },
    log,
  };
}

/** The key of an account that the admin creates. */
export async function createAccount(url: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { key: { key: string } }).key.key;
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Kills a database server with all its processes at once, as in a power failure. */
export async function killDatabase(postmaster: number): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  const family = [postmaster, ...pids.filter((_, place) => parents[place] === postmaster)];
  for (const pid of family) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It exited with the first process.
    }
  }
}

/** Resident memory of a process, MiB. */
export function rssOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}

/** Samples the memory of a process ten times a second; `most()` is the maximum since its last call, MiB. */
export function watchMemory(pid: number): { most(): number; stop(): void } {
  let most = rssOf(pid);
  const timer = setInterval(() => {
    most = Math.max(most, rssOf(pid));
  }, 100);
  return {
    most: () => {
      const seen = Math.max(most, rssOf(pid));
      most = rssOf(pid);
      return seen;
    },
    stop: () => clearInterval(timer),
  };
}
