// One load of the generator in a separate process, started by the benchmark. It prints the figures to standard output as JSON
// and writes the timestamps of all chunks to a file.
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { type LoadPlan, measureLoad } from '../../packages/loadgen/src/measure/measure-load.ts';
import { summariseLoad } from '../../packages/loadgen/src/measure/records/summarise-load.ts';
import { constantSchedule, rateSchedule } from '../../packages/loadgen/src/pacing/arrivals.ts';
import { promptWords } from '../../packages/loadgen/src/prompts/words.ts';
import { openTraceFile } from '../../packages/loadgen/src/traffic/files/trace-file.ts';
import { turnsOf } from '../../packages/loadgen/src/turns/turns.ts';
import { type Pace, thinkMsOf } from './loads.ts';
import type { Ask, ClientReport } from './run.ts';
import { traceOf } from './trace.ts';

const { port, load, stampsFile } = JSON.parse(process.argv[2] ?? '{}') as Ask;
const bodyOf = (messages: unknown) =>
  JSON.stringify({
    model: 'mock',
    messages,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: load.tokens,
  });
const body = bodyOf([{ role: 'user', content: 'hello' }]);

/** The due times and bodies of a replayed trace. */
async function replay() {
  const path = `${stampsFile}.trace.jsonl`;
  writeFileSync(path, traceOf(load));
  const source = await openTraceFile(path, { speed: 1, requests: null });
  const vocabulary = { words: promptWords, tokensPerWord: 1, overheadTokens: 5, isAdditive: true };
  const units = (
    await source.open({ vocabulary: async () => vocabulary, systemOverhead: async () => 1, countTokens: async () => 1 })
  )(7);
  return {
    due_ms: source.dueMs ?? new Float64Array(),
    bodies: Array.from({ length: load.requests }, (_, index) => bodyOf(units(index).turns[0].messages)),
  };
}

const replayed = load.pace.mode === 'open' && load.pace.arrivals === 'trace' ? await replay() : null;

function paceOf(pace: Pace): LoadPlan['pace'] {
  if (pace.mode === 'closed') return pace;
  if (replayed !== null) return { mode: 'open', due_ms: replayed.due_ms, maxInFlight: pace.cap, timer: pace.timer };
  const due_ms =
    pace.arrivals === 'constant'
      ? constantSchedule(pace.rate, load.requests)
      : rateSchedule(pace.rate, load.requests, { burstiness: 1, seed: 7 });
  return { mode: 'open', due_ms, maxInFlight: pace.cap, timer: pace.timer };
}

/** Number of open sockets of this process. */
function countSockets(): number {
  const target = (name: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc/self/fd').filter((name) => target(name).startsWith('socket:')).length;
}

/** The bodies of conversations: a later turn has the messages that it adds. */
function conversationsOf(turns: number) {
  const bodies = Array.from({ length: load.requests }, (_, row) =>
    bodyOf([{ role: 'user', content: `turn ${row % turns}` }]),
  );
  const thinkMs = Float64Array.from(bodies, (_, row) => thinkMsOf(load, row));
  return { bodies, turns: turnsOf(Array(load.requests / turns).fill(turns), thinkMs) };
}

const talks = load.turns === undefined ? null : conversationsOf(load.turns);
const isTls = load.front === 'tls';
const socketsBefore = countSockets();
const rss: number[] = [];
const record = await measureLoad(
  {
    connect: { host: isTls ? 'mock.example' : '127.0.0.1', port, address: '127.0.0.1', tls: isTls },
    path: '/v1/chat/completions',
    headers: {},
    bodies: talks?.bodies ?? replayed?.bodies ?? Array.from({ length: load.requests }, () => body),
    ...(talks !== null && { turns: talks.turns }),
    ...(load.threads !== undefined && { threads: load.threads }),
    pace: paceOf(load.pace),
    limits: { duration_ms: null, outputTokens: null, request_timeout_ms: 120_000, stall_ms: load.stall_ms ?? 60_000 },
  },
  // Sampling takes CPU time on the measuring core, so it runs only if memory is measured.
  load.tokens > 2000 ? { onProgress: () => rss.push(process.memoryUsage.rss()) } : {},
);
rss.push(process.memoryUsage.rss());
const socketsLeft = countSockets() - socketsBefore;
const zero = record.started_at_monotonic_ms;
const stamps = new Float64Array(record.requests.reduce((sum, { chunk_count }) => sum + chunk_count, 0));
let count = 0;
for (const { chunks_ms } of record.requests) for (const at of chunks_ms) stamps[count++] = zero + at;
writeFileSync(stampsFile, stamps);
const report: ClientReport = {
  summary: summariseLoad(record),
  self: record.self,
  started_at_monotonic_ms: zero,
  requests: record.requests.map(({ due_ms, started_ms }) => ({ due_ms, started_ms })),
  rss_growth_bytes: Math.max(...rss) - (rss[0] ?? 0),
  sockets_left: socketsLeft,
};
console.log(JSON.stringify(report));
