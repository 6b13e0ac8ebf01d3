import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './loads.ts';
import { readTruth, type ServerTruth } from './truth.ts';

const source = new URL('../../../shared/tools/mockllm/mockllm.c', import.meta.url).pathname;

/** Whether real-time priorities may be given, without which other work decides the tails. */
export const hasPriority = (() => {
  try {
    execFileSync('chrt', ['-f', '1', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/**
 * A command on one core, before all others there if the machine allows. Its own threads take turns: one that spins would
 * never let go of the core otherwise.
 */
export const onCore = (core: number, command: readonly string[]): [string, string[]] =>
  hasPriority
    ? ['chrt', ['-r', '10', 'taskset', '-c', String(core), ...command]]
    : ['taskset', ['-c', String(core), ...command]];

/** Compiles the server whose timing is known; null where its source is not beside this checkout. */
export function buildMock(folder: string): string | null {
  if (!existsSync(source)) return null;
  const binary = join(folder, 'mockllm');
  execFileSync('cc', ['-O2', '-o', binary, source, '-lm'], { stdio: 'inherit' });
  return binary;
}

export interface Mock {
  port: number;
  /** What it did since it was started. */
  truth(): Promise<ServerTruth>;
  stop(): Promise<void>;
}

/** Starts the server for one load, on the first core. */
export async function startMock(binary: string, folder: string, load: Load, port: number): Promise<Mock> {
  const log = join(folder, `truth-${port}.jsonl`);
  const options = Object.entries(load.server).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const [command, args] = onCore(0, [binary, '--port', String(port), '--log', log, ...options]);
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
    truth: async () => {
      await ask('/__mock/dump');
      return readTruth(await readFile(log, 'utf8'));
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
