import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentileOf } from '../../packages/loadgen/src/measure/percentiles.ts';
import type { Load } from './loads.ts';

/** Distribution of a latency, in ms. */
export interface Truth {
  n: number;
  mean: number;
  p50: number;
  p99: number;
}

/** What the server says it did, by its own clock. */
export interface ServerTruth {
  ttft: Truth;
  itl: Truth;
  tpot: Truth;
  e2e: Truth;
  requests: number;
  tokens: number;
}

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

function truthOf(values: number[]): Truth {
  const sorted = Float64Array.from(values).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { n: sorted.length, mean, p50: percentileOf(sorted, 50), p99: percentileOf(sorted, 99) };
}

/** The server's log of one run. Its times are microseconds since the request was read. */
function readLog(text: string): ServerTruth {
  const requests = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { w?: number[] })
    .flatMap(({ w }) => (w === undefined || w.length === 0 ? [] : [w]));
  const first = requests.map((w) => (w[0] ?? 0) / 1000);
  const last = requests.map((w) => (w.at(-1) ?? 0) / 1000);
  return {
    ttft: truthOf(first),
    itl: truthOf(requests.flatMap((w) => w.slice(1).map((at, place) => (at - (w[place] ?? at)) / 1000))),
    tpot: truthOf(requests.map((w, place) => ((last[place] ?? 0) - (first[place] ?? 0)) / (w.length - 1))),
    e2e: truthOf(last),
    requests: requests.length,
    tokens: requests.reduce((sum, w) => sum + w.length, 0),
  };
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
  const [command, args] = onCore(0, [
    binary,
    ...['--port', String(port), '--log', log, '--ttft_ms', String(load.ttft_ms), '--itl_ms', String(load.itl_ms)],
  ]);
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
      return readLog(await readFile(log, 'utf8'));
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
