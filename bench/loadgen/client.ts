// One load of the generator in a process of its own, as the bench asks it on its command line; the figures go to
// standard output as JSON.
import { type LoadPlan, measureLoad } from '../../packages/loadgen/src/measure/measure-load.ts';
import { summariseLoad } from '../../packages/loadgen/src/measure/summarise-load.ts';
import { rateSchedule } from '../../packages/loadgen/src/pacing/arrivals.ts';
import type { Load } from './loads.ts';

const { port, load } = JSON.parse(process.argv[2] ?? '{}') as { port: number; load: Load };
const body = JSON.stringify({
  model: 'mock',
  messages: [{ role: 'user', content: 'hello' }],
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: load.tokens,
});
const pace: LoadPlan['pace'] =
  load.rate === null
    ? { mode: 'closed', concurrency: load.concurrency }
    : {
        mode: 'open',
        due_ms: rateSchedule(load.rate, load.requests, { burstiness: 1, seed: 7 }),
        maxInFlight: null,
        timer: 'hybrid',
      };
const record = await measureLoad({
  connect: { host: '127.0.0.1', port, address: '127.0.0.1', tls: false },
  path: '/v1/chat/completions',
  headers: {},
  bodies: Array.from({ length: load.requests }, () => body),
  pace,
  limits: { duration_ms: null, outputTokens: null, request_timeout_ms: 120_000, stall_ms: 60_000 },
});
console.log(JSON.stringify({ summary: summariseLoad(record), self: record.self, duration_ms: record.duration_ms }));
