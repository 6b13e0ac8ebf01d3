import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Load } from './loads.ts';
import { type Line, readTruth, type ServerTruth } from './truth.ts';

const frontFile = fileURLToPath(new URL('./tls-front.ts', import.meta.url));
const source = new URL('../../../shared/tools/mockllm/mockllm.c', import.meta.url).pathname;

const ticksPerSecond = 100;

/** CPU time of a process and its threads so far, s; null after its end. */
export function cpuOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return null;
  }
}

/** Whether real-time priorities are permitted. Without them, other work determines the tails. */
export const hasPriority = (() => {
  try {
    execFileSync('chrt', ['-f', '1', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Above that of the generator: a worker may share the server's core. */
const serverPriority = 20;
const frontPriority = 30;

/**
 * A command pinned to one core, or to several such as `1-2`, with priority over other processes if permitted. Its threads share the core round-robin, because
 * a spinning thread would otherwise never release it.
 */
export const onCore = (core: number | string, command: readonly string[], priority = 10): [string, string[]] =>
  hasPriority
    ? ['chrt', ['-r', String(priority), 'taskset', '-c', String(core), ...command]]
    : ['taskset', ['-c', String(core), ...command]];

/** The command line that starts a command on a core. */
export type Place = (core: number, command: readonly string[], priority?: number) => string[];

/** Pinned to a core, without priority. */
export const pinned: Place = (core, command) => ['taskset', '-c', String(core), ...command];

/** As `onCore`. */
export const onCoreFirst: Place = (core, command, priority) => onCore(core, command, priority).flat();

/** Compiles the server with known timing; null if its source is not next to this checkout. */
export function buildMock(folder: string): string | null {
  if (!existsSync(source)) return null;
  const binary = join(folder, 'mockllm');
  execFileSync('cc', ['-O2', '-o', binary, source, '-lm'], { stdio: 'inherit' });
  return binary;
}

/** A server in front of the mock. */
export interface Front {
  port: number;
  /** Its certificate as PEM, if it has TLS. */
  certFile: string;
  stop(): Promise<void>;
}

/** Starts a server in front of the mock, on the core of the mock and before it, because the mock spins. */
export async function startFront(folder: string, kind: 'tcp' | 'tls', port: number): Promise<Front> {
  const certFile = join(folder, `front-${port}.pem`);
  const [command, args] = onCore(
    0,
    [process.execPath, frontFile, JSON.stringify({ kind, port, certFile })],
    frontPriority,
  );
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: Number(said.toString()),
    certFile,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export interface Mock {
  port: number;
  /** CPU time so far, s. */
  cpu(): number;
  /** Its actions since the start; with `isMeasured`, those of the requests for which it is true. */
  truth(isMeasured?: (line: Line) => boolean): Promise<ServerTruth>;
  stop(): Promise<void>;
}

/**
 * Starts the server for one load, on the first core. It sleeps between writes: Linux stops a real-time process that never sleeps for
 * 50 ms of each second if another process waits for its core, and the server then writes 50 ms of events at once.
 */
export async function startMock(
  binary: string,
  folder: string,
  load: Load,
  port: number,
  place: Place = onCoreFirst,
): Promise<Mock> {
  const log = join(folder, `truth-${port}.jsonl`);
  const options = Object.entries(load.server).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const words = [binary, '--port', String(port), '--log', log, '--spin-us', '0', ...options];
  const [command = '', ...args] = place(0, words, serverPriority);
  const child: ChildProcess = spawn(command, args, { stdio: 'ignore' });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then((response) => response.text());
  for (let attempt = 0; ; attempt += 1) {
    try {
      await ask('/health');
      break;
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(100);
    }
  }
  return {
    port,
    cpu: () => cpuOf(child.pid ?? 0) ?? Number.NaN,
    truth: async (isMeasured) => {
      await ask('/__mock/dump');
      return readTruth(await readFile(log, 'utf8'), isMeasured);
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
