// Measures llama.cpp's server with a small random model, and compares the load generator's figures with the server's
// log. Needs a built llama-server (build.sh builds one):
//   npm run check:llama-cpp -- PATH/llama-server [--requests 500]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LoadRecord, measureLoad } from '../../packages/loadgen/src/measure/measure-load.ts';
import type { LoadPlan } from '../../packages/loadgen/src/measure/plan.ts';
import { summariseLoad } from '../../packages/loadgen/src/measure/records/summarise-load.ts';
import { type Endpoint, endpointPaths, endpoints, requestBody } from '../../packages/loadgen/src/prompts/body.ts';
import { type LlamaServer, type LoggedRequest, startLlamaServer } from './server.ts';

const { values, positionals } = parseArgs({
  options: { requests: { type: 'string', default: '500' } },
  allowPositionals: true,
});
const program = positionals[0];
if (program === undefined) {
  console.error('usage: npm run check:llama-cpp -- PATH/llama-server [--requests 500]');
  process.exit(2);
}
const requests = Number(values.requests);
const levels = [1, 4, 8];
const tpotErrorMax = 0.01;
/** Time for the log line that follows each response, ms. */
const logMs = 500;

/** Tokens of the shortest response. The server sends its first token later than its log states, so TPOT needs many tokens. */
const tokensMin = 100;
/**
 * The same for a fixed rate. Packet captures show that an idle server sends the first token of every second or third response 2
 * to 4 ms after its log counts it.
 */
const rateTokensMin = 400;

type Pace = LoadPlan['pace'];

const closed = (concurrency: number): Pace => ({ mode: 'closed', concurrency });

/** A load: its name, its pace and its number of requests. */
interface Load {
  name: string;
  pace: Pace;
  count: number;
  tokensMin: number;
}

/** A queue of requests that are sent at the same time. */
const burst = (count: number): Load => ({
  name: `burst of ${count}`,
  pace: { mode: 'open', due_ms: new Float64Array(count), maxInFlight: null },
  count,
  tokensMin,
});

/** Requests at a fixed interval. */
const rate = (perSecond: number, count: number): Load => ({
  name: `${perSecond} req/s`,
  pace: {
    mode: 'open',
    due_ms: Float64Array.from({ length: count }, (_, index) => (index * 1000) / perSecond),
    maxInFlight: null,
  },
  count,
  tokensMin: rateTokensMin,
});

function load(server: LlamaServer, endpoint: Endpoint, { pace, count, tokensMin }: Load): Promise<LoadRecord> {
  const asked = { endpoint, dialect: 'llama.cpp' as const, model: 'tiny', forcing: 'ignore_eos' as const };
  const bodies = Array.from({ length: count }, (_, index) =>
    JSON.stringify(
      requestBody({ ...asked, prompt: `${index} able also area away`, outputTokens: tokensMin + (index % 16) }),
    ),
  );
  return measureLoad({
    connect: { host: '127.0.0.1', address: '127.0.0.1', port: server.port, tls: false },
    path: endpointPaths[endpoint],
    headers: {},
    bodies,
    pace,
    limits: { duration_ms: null, outputTokens: null, request_timeout_ms: 60_000, stall_ms: 30_000 },
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

/** Differences between a record and the log, in words. */
function compare(record: LoadRecord, log: readonly LoggedRequest[]): { line: string; faults: string[] } {
  const { by_outcome, retried } = summariseLoad(record);
  const ok = record.requests.filter(({ outcome }) => outcome === 'ok');
  const tokens = ok.map(({ output_tokens }) => output_tokens ?? -1);
  const spans = ok.map(({ chunks_ms }) => (chunks_ms.at(-1) ?? 0) - (chunks_ms[0] ?? 0));
  const gaps = sum(tokens) - tokens.length;
  const tpot = sum(spans) / gaps;
  const logged =
    sum(log.map(({ generationMs }) => generationMs)) / (sum(log.map((one) => one.outputTokens)) - log.length);
  const error = tpot / logged - 1;
  const isEqual = sorted(tokens).join() === sorted(log.map(({ outputTokens }) => outputTokens)).join();
  const failures = record.requests.filter(({ outcome }) => outcome !== 'ok');
  return {
    line: `${by_outcome.ok} of ${record.requests.length} ok, ${retried} sent again; tokens ${sum(tokens)}, its log ${sum(log.map((one) => one.outputTokens))}; TPOT ${tpot.toFixed(4)} ms, its log ${logged.toFixed(4)} ms (${(100 * error).toFixed(2)} %)`,
    faults: [
      ...failures
        .slice(0, 3)
        .map(({ index, outcome, outcome_detail }) => `request ${index}: ${outcome} ${outcome_detail}`),
      ...(failures.length > 0 ? [`${failures.length} requests failed`] : []),
      ...(isEqual ? [] : ['the counts of tokens differ from the log']),
      ...(Math.abs(error) <= tpotErrorMax ? [] : [`TPOT is more than ${100 * tpotErrorMax} % off`]),
    ],
  };
}

const loads: readonly Load[] = [
  { name: '1 in flight', pace: closed(1), count: 24, tokensMin },
  ...levels.map((level) => ({ name: `${level} in flight`, pace: closed(level), count: requests, tokensMin })),
  burst(8),
  burst(64),
  rate(2, 60),
  rate(5, 100),
];

const folder = await mkdtemp(join(tmpdir(), 'inferboard-llama-cpp-'));
const server = await startLlamaServer(program, join(folder, 'tiny.gguf'), Math.max(...levels));
let broken = 0;
try {
  for (const endpoint of endpoints)
    for (const asked of loads) {
      server.takeLog();
      const record = await load(server, endpoint, asked);
      await sleep(logMs);
      const { line, faults } = compare(record, server.takeLog());
      console.log(`${endpoint}, ${asked.name}: ${line}`);
      for (const fault of faults) console.log(`  ! ${fault}`);
      broken += faults.length;
    }
} finally {
  await server.close();
  await rm(folder, { recursive: true });
}
console.log(`${broken} faults`);
process.exitCode = broken === 0 ? 0 : 1;
