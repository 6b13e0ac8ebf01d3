// One load of the generator in a process of its own, as the bench asks it on its command line; the figures go to
// standard output as JSON, and the stamps of all chunks to a file.
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { type LoadPlan, measureLoad } from '../../packages/loadgen/src/measure/measure-load.ts';
import { summariseLoad } from '../../packages/loadgen/src/measure/summarise-load.ts';
import { constantSchedule, rateSchedule } from '../../packages/loadgen/src/pacing/arrivals.ts';
import type { Pace } from './loads.ts';
import type { Ask, ClientReport } from './run.ts';

const { port, load, stampsFile } = JSON.parse(process.argv[2] ?? '{}') as Ask;
const body = JSON.stringify({
  model: 'mock',
  messages: [{ role: 'user', content: 'hello' }],
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: load.tokens,
});

function paceOf(pace: Pace): LoadPlan['pace'] {
  if (pace.mode === 'closed') return pace;
  const due_ms =
    pace.arrivals === 'constant'
      ? constantSchedule(pace.rate, load.requests)
      : rateSchedule(pace.rate, load.requests, { burstiness: 1, seed: 7 });
  return { mode: 'open', due_ms, maxInFlight: pace.cap, timer: pace.timer };
}

/** Sockets this process holds open. */
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

const socketsBefore = countSockets();
const rss: number[] = [];
const record = await measureLoad(
  {
    connect: { host: '127.0.0.1', port, address: '127.0.0.1', tls: false },
    path: '/v1/chat/completions',
    headers: {},
    bodies: Array.from({ length: load.requests }, () => body),
    pace: paceOf(load.pace),
    limits: { duration_ms: null, outputTokens: null, request_timeout_ms: 120_000, stall_ms: load.stall_ms ?? 60_000 },
  },
  // Looking on costs a moment on the core that measures: only where memory is the question.
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
