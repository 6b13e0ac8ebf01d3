// Runs the measure command as a user does, in a separate process, and compares its report with the server's log.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Load } from './loads.ts';
import { cpuOf, hasPriority, onCoreFirst, type Place, pinned, startMock } from './mock.ts';
import { traceOf, traceTimes } from './trace.ts';
import { type ServerTruth, type Truth, truthOf } from './truth.ts';

/** Latencies by the report of the command. */
export type Reported = Record<'ttft' | 'itl' | 'tpot' | 'e2e', Truth>;

/** One load from both sides, through the command. */
export interface CommandRun {
  load: Load;
  truth: ServerTruth;
  reported: Reported;
  /** Requests that the report calls successful. */
  ok: number;
  /** Why the figures may be the generator's own, by the report. */
  limited: string[];
  outputTokens: number;
  /** Of a replay: from the due time of a request to its arrival at the server, ms, less that of the earliest one. */
  arrivalErrors: number[];
  /** CPU time of all threads of the command from the first measured request to the last token, s. */
  cpu_s: number;
}

interface ReportedRequest {
  ttft_ms: number;
  e2e_ms: number;
  itl_ms: number[];
  output_tokens: number;
  error: string | null;
}

const main = fileURLToPath(new URL('../../packages/loadgen/src/cli/main.ts', import.meta.url));
const sampleMs = 20;
let nextPort = 18_700;

interface CpuSample {
  /** By the system's monotonic clock, ms. */
  at: number;
  cpu_s: number;
}

function cpuBetween(samples: readonly CpuSample[], from: number, to: number): number {
  const before = samples.findLast(({ at }) => at <= from) ?? samples[0];
  const after = samples.find(({ at }) => at >= to) ?? samples.at(-1);
  return (after?.cpu_s ?? Number.NaN) - (before?.cpu_s ?? Number.NaN);
}

/** Runs the command to its end. Rejects if it fails. */
function runCommand(args: readonly string[], folder: string, place: Place | null): Promise<CpuSample[]> {
  const [command = '', ...words] =
    place === null
      ? pinned(1, [process.execPath, main, ...args, ...(hasPriority ? ['--realtime'] : [])])
      : place(1, [process.execPath, main, ...args]);
  const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const samples: CpuSample[] = [];
  const sampler = setInterval(() => {
    const cpu_s = cpuOf(child.pid ?? 0);
    if (cpu_s !== null) samples.push({ at: Number(process.hrtime.bigint()) / 1e6, cpu_s });
  }, sampleMs);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      clearInterval(sampler);
      if (code === 0) resolve(samples);
      else reject(new Error(`the command ended with ${code}: ${errors}`));
    });
  });
}

/** What the command is to send. A replayed trace has its own lengths. */
async function sizeOf(load: Load, trace: string): Promise<string[]> {
  if (load.pace.mode === 'open') {
    if (load.pace.arrivals !== 'trace')
      throw new RangeError(`${load.name}: the command runs closed loads and traces here`);
    await writeFile(trace, traceOf(load));
    return ['--replay', trace];
  }
  const size = ['--input-tokens', '64', '--output-tokens', String(load.tokens), '--requests', String(load.requests)];
  return [...size, '--concurrency', String(load.pace.concurrency)];
}

/** Requests arrive in the order of their due times. */
function arrivalErrorsOf(load: Load, { arrivals }: ServerTruth): number[] {
  if (load.pace.mode !== 'open') return [];
  const due = traceTimes(load);
  const delays = arrivals.map(({ read_ms }, place) => read_ms - (due[place] ?? Number.NaN));
  const least = Math.min(...delays);
  return delays.map((delay) => delay - least);
}

/**
 * Runs one load through the command: the server on the first core, with priority over other processes, the command on the second
 * with `--realtime`, unless `place` starts them otherwise.
 */
export async function runThroughCommand(
  binary: string,
  folder: string,
  load: Load,
  place: Place | null = null,
): Promise<CommandRun> {
  const port = nextPort++;
  const mock = await startMock(binary, folder, load, port, place ?? onCoreFirst);
  try {
    const out = join(folder, `command-${port}.jsonl`);
    const size = await sizeOf(load, join(folder, `command-${port}.trace.jsonl`));
    const fixed = ['--url', `http://127.0.0.1:${port}`, '--warmup', '0', '--seed', '7', '--out', out];
    const samples = await runCommand([...fixed, ...size], folder, place);
    // The requests that count prompt tokens have one token each.
    const truth = await mock.truth(({ tokens }) => tokens === load.tokens);
    const { results } = JSON.parse(await readFile(out, 'utf8')) as {
      results: { requests: ReportedRequest[]; generator?: { limited?: string[] } }[];
    };
    const requests = (results[0]?.requests ?? []).filter(({ error }) => error === null);
    const first = Math.min(...truth.arrivals.map(({ read_ms }) => read_ms));
    return {
      load,
      truth,
      ok: requests.length,
      limited: results[0]?.generator?.limited ?? [],
      arrivalErrors: arrivalErrorsOf(load, truth),
      outputTokens: requests.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
      reported: {
        ttft: truthOf(requests.map(({ ttft_ms }) => ttft_ms)),
        itl: truthOf(requests.flatMap(({ itl_ms }) => itl_ms)),
        tpot: truthOf(requests.map((one) => (one.e2e_ms - one.ttft_ms) / (one.output_tokens - 1))),
        e2e: truthOf(requests.map(({ e2e_ms }) => e2e_ms)),
      },
      cpu_s: cpuBetween(samples, first, truth.writes_ms.at(-1) ?? first),
    };
  } finally {
    await mock.stop();
  }
}
