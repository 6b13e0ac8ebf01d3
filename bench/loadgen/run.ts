import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SelfCheck } from '../../packages/loadgen/src/measure/load-record.ts';
import { percentilesOf } from '../../packages/loadgen/src/measure/percentiles.ts';
import type { LoadSummary } from '../../packages/loadgen/src/measure/summarise-load.ts';
import type { Load } from './loads.ts';
import { onCore, startMock } from './mock.ts';
import type { ServerTruth } from './truth.ts';

/** What the client is given on its command line. */
export interface Ask {
  port: number;
  load: Load;
  /** Where it writes the stamps of all chunks, in ms of the system's monotonic clock. */
  stampsFile: string;
}

/** What the client says of one load. */
export interface ClientReport {
  summary: LoadSummary;
  self: SelfCheck;
  /** Zero of the times of the requests. */
  started_at_monotonic_ms: number;
  requests: { due_ms: number | null; started_ms: number }[];
  /** From the first look at memory to the most; looked at only in long loads. */
  rss_growth_bytes: number;
  sockets_left: number;
}

/** One load, by both sides. */
export interface Run extends ClientReport {
  load: Load;
  truth: ServerTruth;
  /** From a chunk's write to its stamp, in ms; NaN where the two counted differently. */
  lag: { p50: number; p99: number };
}

const client = fileURLToPath(new URL('./client.ts', import.meta.url));
const timeoutMs = 300_000;
let nextPort = 18_400;

/**
 * The k-th chunk to be stamped against the k-th to be written: over all streams, since no chunk bears its name. What
 * overtakes another within one batch of reads is not seen.
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
  try {
    const stampsFile = join(folder, `stamps-${port}`);
    const ask: Ask = { port, load, stampsFile };
    const [command, args] = onCore(1, [process.execPath, client, JSON.stringify(ask)]);
    const said = execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: timeoutMs });
    const truth = await mock.truth();
    return { ...(JSON.parse(said) as ClientReport), load, truth, lag: lagOf(stampsFile, truth.writes_ms) };
  } finally {
    await mock.stop();
  }
}
