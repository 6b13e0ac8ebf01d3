// Reading artifacts: MB/s of each format against what any reader must do first, decoding the bytes and splitting lines, and
// with the prefix of a log before each line; 16 MiB of each kind of prefix; and a long JSONL through the API into the
// database. BENCH_ONLY=reading leaves the database away.
import { readdirSync, readFileSync } from 'node:fs';
import { adapters, readArtifact } from '../packages/core/src/adapters/index.ts';
import { DomainError } from '../packages/core/src/errors.ts';
import { logPrefixes, wrapped } from '../packages/core/src/testing/log-prefixes.ts';
import { adminKey, compare, describeMachine, openBench, report } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const fixtures = new URL('../packages/core/fixtures/', import.meta.url);
const bytesWanted = 512 * 1024;

/** The largest artifact of an adapter that is read, and not refused. */
function sampleOf(id: string): Buffer | null {
  const folder = new URL(`${id}/`, fixtures);
  const files = readdirSync(folder).filter((name) => !/\.(?:expected\.json)$|\.refused\./.test(name));
  const contents = files.map((name) => readFileSync(new URL(name, folder)));
  return contents.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** Many of them in one paste, as many as make half a megabyte and still fit the results that are accepted at once. */
function pasteOf(sample: Buffer): Buffer {
  const results = readArtifact(sample).results.length;
  const copies = Math.max(1, Math.min(Math.ceil(bytesWanted / sample.length), Math.floor(10_000 / results)));
  return Buffer.concat(Array.from({ length: copies }, () => [sample, Buffer.from('\n\n')]).flat());
}

function read(bytes: Buffer): void {
  try {
    readArtifact(bytes);
  } catch (error) {
    // Some formats are one document and cannot be repeated; finding that out reads them all the same.
    if (!(error instanceof DomainError)) throw error;
  }
}

const later = (work: () => unknown) => async () => work();
const decoder = new TextDecoder();

describeMachine();
const github = logPrefixes.find(([name]) => name === 'GitHub Actions')?.[1] ?? ((lines: string[]) => lines);
let overall = { bare: 0, prefixed: 0 };
for (const { id } of adapters) {
  const sample = sampleOf(id);
  if (sample === null) continue;
  const paste = pasteOf(sample);
  const logged = Buffer.from(wrapped(decoder.decode(paste), github));
  const timing = await compare(
    rounds,
    later(() => read(paste)),
    later(() => decoder.decode(paste).split('\n').length),
  );
  const prefixed = await compare(
    rounds,
    later(() => read(logged)),
    later(() => read(paste)),
  );
  const megabytes = paste.length / 1e6;
  overall = {
    bare: overall.bare + prefixed.baseline.p50,
    prefixed: overall.prefixed + prefixed.subject.p50,
  };
  console.log(
    `${id}: ${((megabytes / timing.subject.p50) * 1000).toFixed(1)} MB/s over ${megabytes.toFixed(2)} MB, ` +
      `${(timing.subject.p50 / timing.baseline.p50).toFixed(0)} times the decoding; with the prefix of GitHub Actions ` +
      `${(prefixed.subject.p50 / prefixed.baseline.p50).toFixed(2)} times its time`,
  );
}
console.log(`All formats with a prefix: ${(overall.prefixed / overall.bare).toFixed(2)} times their time (bar 1.3)`);

// A log without any report, as large as an upload may be: each must be looked through and refused.
const largest = 2 ** 24;
const words = 'Some line of a log with words and 12.5 figures\n'.repeat(1000).split('\n');
for (const [name, make] of logPrefixes) {
  const piece = `${make(words).join('\n')}\n`;
  const bytes = Buffer.from(piece.repeat(Math.ceil(largest / piece.length)).slice(0, largest));
  // Time of the processor: others may use the machine as well.
  const before = process.cpuUsage();
  read(bytes);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
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
  // Of points that nobody measured yet, as a first sweep is; or once more of the same, whose statistics then change.
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
