// Parsing speed of artifacts: MB/s of each format, compared with decoding the bytes and splitting lines. Also with a log prefix
// on each line, with 16 MiB of each kind of prefix, and a long JSONL through the API into the database.
// BENCH_ONLY=reading skips the database.
import { readdirSync, readFileSync } from 'node:fs';
import { adapters, readArtifact } from '../packages/core/src/adapters/index.ts';
import { DomainError } from '../packages/core/src/errors.ts';
import { logPrefixes, wrapped } from '../packages/core/src/testing/log-prefixes.ts';
import { adminKey, compare, describeMachine, openBench, report } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const readings = rounds * 5;
/** Enough for the compiler to finish, and for its optimised code to meet both texts. */
const warmUps = 10;
const fixtures = new URL('../packages/core/fixtures/', import.meta.url);
const bytesWanted = 512 * 1024;

/** The largest fixture of an adapter, without the rejected ones. */
function sampleOf(id: string): Buffer | null {
  const folder = new URL(`${id}/`, fixtures);
  const files = readdirSync(folder).filter((name) => !/\.(?:expected\.json)$|\.refused\./.test(name));
  const contents = files.map((name) => readFileSync(new URL(name, folder)));
  return contents.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** As many copies in one paste as make half a megabyte and stay within the maximum number of results. */
function pasteOf(sample: Buffer): Buffer {
  const results = readArtifact(sample).results.length;
  const copies = Math.max(1, Math.min(Math.ceil(bytesWanted / sample.length), Math.floor(10_000 / results)));
  return Buffer.concat(Array.from({ length: copies }, () => [sample, Buffer.from('\n\n')]).flat());
}

function read(bytes: Buffer): void {
  try {
    readArtifact(bytes);
  } catch (error) {
    // Some formats are a single document and cannot be repeated; the adapter still parses them to detect that.
    if (!(error instanceof DomainError)) throw error;
  }
}

/** CPU time, ms, because other processes can use the machine. */
function cpuTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The lower quartile, because other work on the machine only increases a time. */
const typical = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0;

/** Parsing time of each text. The texts take turns, so that other work on the machine affects all of them. */
function timesOf(texts: readonly Buffer[]): number[] {
  const times = texts.map((): number[] => []);
  for (let round = -warmUps; round < readings; round++) {
    for (const [index, bytes] of texts.entries()) {
      const time = cpuTime(() => read(bytes));
      // The first rounds warm the compiler.
      if (round >= 0) times[index]?.push(time);
    }
  }
  return times.map(typical);
}

const later = (work: () => unknown) => async () => work();
const decoder = new TextDecoder();

describeMachine();
const github = logPrefixes.find(([name]) => name === 'GitHub Actions')?.[1] ?? ((lines: string[]) => lines);
let overall = { bare: 0, prefixed: 0 };
const missed: string[] = [];
for (const { id } of adapters) {
  const sample = sampleOf(id);
  if (sample === null) continue;
  const paste = pasteOf(sample);
  const logged = Buffer.from(wrapped(decoder.decode(paste), github));
  const decoding = typical(Array.from({ length: readings }, () => cpuTime(() => decoder.decode(paste).split('\n'))));
  const [bare = 0, prefixed = 0] = timesOf([paste, logged]);
  const megabytes = paste.length / 1e6;
  overall = { bare: overall.bare + bare, prefixed: overall.prefixed + prefixed };
  if (prefixed > 1.3 * bare) missed.push(id);
  console.log(
    `${id}: ${((megabytes / bare) * 1000).toFixed(1)} MB/s over ${megabytes.toFixed(2)} MB, ` +
      `${(bare / decoding).toFixed(0)} times the decoding; with the prefix of GitHub Actions ` +
      `${(prefixed / bare).toFixed(2)} times its time`,
  );
}
console.log(`All formats with a prefix: ${(overall.prefixed / overall.bare).toFixed(2)} times their time`);
console.log(`Above the bar of 1.3: ${missed.length === 0 ? 'none' : missed.join(', ')}`);

// A log of the maximum upload size without a report, which every adapter must scan and reject.
const largest = 2 ** 24;
const words = 'Some line of a log with words and 12.5 figures\n'.repeat(1000).split('\n');
for (const [name, make] of logPrefixes) {
  const piece = `${make(words).join('\n')}\n`;
  const bytes = Buffer.from(piece.repeat(Math.ceil(largest / piece.length)).slice(0, largest));
  const seconds = cpuTime(() => read(bytes)) / 1000;
  console.log(`16 MiB with the prefix of ${name}: ${seconds.toFixed(2)} s${seconds < 2 ? '' : ' (bar 2 s: missed)'}`);
}

if (process.env.BENCH_ONLY === 'reading') process.exit();
const bench = await openBench();
try {
  const { app } = bench;
  const lines = 10_000;
  const record = (seed: number, i: number, from: number) => {
    const [batch, input] = [1 + (i % 64), from + (i % 500)];
    return JSON.stringify({
      run_name: `bench_${seed}_${i}`,
      batch_size: batch,
      input_len: input,
      output_len: 512,
      latency: 3.8,
      output_throughput: 150 + i / 1000,
      overall_throughput: (batch * (input + 512)) / 3.8,
    });
  };
  let seed = 0;
  // New points, as in a first sweep, or repeated points, whose statistics change.
  for (const [title, shift] of [
    ['points that are new', 1000],
    ['points that are known', 0],
  ] as const) {
    const artifact = () => Array.from({ length: lines }, (_, i) => record(seed, i, 256 + shift * seed)).join('\n');
    const submit = async () => {
      seed += 1;
      const response = await app.request('/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16', {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}` },
        body: artifact(),
      });
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      await response.text();
    };
    report(
      `POST /v1/submissions, ${lines} lines of JSON, read to stored, ${title}`,
      await compare(
        Math.min(rounds, 5),
        submit,
        later(() =>
          artifact()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ),
      ),
      'JSON.parse of the lines',
    );
  }
} finally {
  await bench.end();
}
