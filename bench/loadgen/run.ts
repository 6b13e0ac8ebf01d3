import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SelfCheck } from '../../packages/loadgen/src/measure/records/load-record.ts';
import { percentilesOf } from '../../packages/loadgen/src/measure/records/percentiles.ts';
import type { LoadSummary } from '../../packages/loadgen/src/measure/records/summarise-load.ts';
import type { Load } from './loads.ts';
import { onCore, startFront, startMock } from './mock.ts';
import type { ServerTruth } from './truth.ts';

/** Command-line input of the client. */
export interface Ask {
  port: number;
  load: Load;
  /** File for the timestamps of all chunks, in ms of the system's monotonic clock. */
  stampsFile: string;
}

/** Output of the client for one load. */
export interface ClientReport {
  summary: LoadSummary;
  self: SelfCheck;
  /** Zero of the times of the requests. */
  started_at_monotonic_ms: number;
  requests: { due_ms: number | null; started_ms: number }[];
  /** Memory growth from the first sample to the maximum; sampled only in long loads. */
  rss_growth_bytes: number;
  sockets_left: number;
}

/** One load from both sides. */
export interface Run extends ClientReport {
  load: Load;
  truth: ServerTruth;
  /** CPU time of the server, s. */
  server_cpu_s: number;
  /** From a chunk's write to its timestamp, ms; NaN if the two counts differ. */
  lag: { p50: number; p99: number };
}

const client = fileURLToPath(new URL('./client.ts', import.meta.url));
const timeoutMs = 300_000;
let nextPort = 18_400;

/**
 * Pairs the k-th received chunk with the k-th written one, over all streams, because chunks have no ids. Reordering within one
 * batch of reads is not detected.
 */
function lagOf(stampsFile: string, written: Float64Array): Run['lag'] {
  const bytes = readFileSync(stampsFile);
  const stamped = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).sort();
  if (stamped.length !== written.length) return { p50: Number.NaN, p99: Number.NaN };
  const [p50 = Number.NaN, p99 = Number.NaN] =
    percentilesOf(
      stamped.map((at, place) => at - (written[place] ?? at)),
      [50, 99],
    ) ?? [];
  return { p50, p99 };
}

/** Runs one load: the server on the first core, the client on the second. */
export async function runLoad(binary: string, folder: string, load: Load): Promise<Run> {
  const port = nextPort++;
  const mock = await startMock(binary, folder, load, port);
  const front = load.front === undefined ? null : await startFront(folder, load.front, port);
  try {
    const stampsFile = join(folder, `stamps-${port}`);
    const ask: Ask = { port: front?.port ?? port, load, stampsFile };
    const [command, args] = onCore(load.cores ?? 1, [process.execPath, client, JSON.stringify(ask)]);
    const env = { ...process.env, ...(front !== null && { NODE_EXTRA_CA_CERTS: front.certFile }) };
    const said = execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: timeoutMs, env });
    const server_cpu_s = mock.cpu();
    const truth = await mock.truth();
    return {
      ...(JSON.parse(said) as ClientReport),
      load,
      truth,
      server_cpu_s,
      lag: lagOf(stampsFile, truth.writes_ms),
    };
  } finally {
    await front?.stop();
    await mock.stop();
  }
}
