// Makes the pack of published figures that a fresh installation loads (packages/db/sample/public) of a folder with the
// publications' own files: node scripts/public-pack.ts FOLDER. Figures, units and names go the way of every import; what is
// written are documents of the native format, one figure's row a line, each with its source.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { viewDryResult } from '../apps/api/src/views.ts';
import { toNativeDocument } from '../packages/core/src/adapters/native/document.ts';
import { findMetric } from '../packages/core/src/metrics/index.ts';
import type { CheckedResult } from '../packages/core/src/result.ts';
import type { Parameters } from '../packages/core/src/submission/parameters.ts';
import { readSubmission } from '../packages/core/src/submission/read-submission.ts';
import { systemRowOf } from '../packages/db/src/rows.ts';
import { chooseRows, type InferencexRow } from './public-pack-rows.ts';

const out = new URL('../packages/db/sample/public/', import.meta.url);

interface Log {
  path: string;
  log: string;
}

/** What a tool printed, as somebody published it, with what the publication says beside it. */
interface Output {
  log: string;
  parameters: Record<string, unknown>;
}

const encode = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/** Reads a file as an import does. A result that would wait for review has no place in the pack. */
function read(bytes: Uint8Array, given: Record<string, unknown>, name: string): CheckedResult[] {
  const { results } = readSubmission(bytes, given as Parameters, { isImported: true });
  for (const { status, findings } of results)
    if (status !== 'accepted') throw new Error(`${name} is ${status}: ${JSON.stringify(findings)}`);
  return results;
}

/** A result as a line of the native format: what its publisher states, and nothing that we derived. */
function toLine(result: CheckedResult): string {
  const view = viewDryResult(result, systemRowOf(result.system), 'http://localhost');
  // What a publisher states by GPU is made again of the whole and its GPUs.
  const metrics = Object.entries(result.metrics).filter(([name]) => findMetric(name)?.family.derived !== true);
  return JSON.stringify(toNativeDocument({ ...view, metrics: Object.fromEntries(metrics) } as never));
}

async function readLines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** What the path of a llama-bench log says: model, build of the back end, and switches. */
function factsOf(path: string): Record<string, unknown> {
  const [file = '', build = '', ...rest] = (path.split('/').at(-1) ?? '').replace(/\.log$/, '').split('__');
  const isRemote = rest.includes('rpc');
  return {
    model: file.replace(/-\d{5}-of-\d{5}$/, ''),
    gpu: 'Strix Halo',
    gpu_count: isRemote ? 2 : 1,
    features: {
      build,
      ...(rest.includes('hblt0') ? { hipblaslt: false } : {}),
      ...(isRemote ? { rpc: true } : {}),
    },
    source_publisher: 'kyuz0',
    source_title: 'amd-strix-halo-toolboxes',
    source_url: `https://github.com/kyuz0/amd-strix-halo-toolboxes/blob/d1a34bee/${path}`,
    source_entry: path,
  };
}

async function readLlamaBench(folder: string): Promise<CheckedResult[]> {
  const logs = await readLines<Log>(`${folder}/llama-bench-strix-halo.jsonl`);
  // A run that failed prints the heading of its table and no row.
  const measured = logs.filter(({ log }) => / ± /.test(log));
  return measured.flatMap(({ path, log }) => read(encode(log), factsOf(path), path));
}

async function readInferencex(folder: string): Promise<CheckedResult[]> {
  const [latest, history] = await Promise.all(
    ['benchmarks', 'benchmarks-history'].map(
      async (name) => JSON.parse(await readFile(`${folder}/inferencex/${name}.json`, 'utf8')) as InferencexRow[],
    ),
  );
  return read(encode(chooseRows(latest ?? [], history ?? [])), {}, 'inferencex');
}

const readMlperf = async (folder: string) =>
  read(new Uint8Array(await readFile(`${folder}/mlperf-v5.1.jsonl`)), {}, 'mlperf');

/** Outputs that one publication shows: `outputs/NAME.jsonl`. */
const readOutputs = (name: string) => async (folder: string) =>
  (await readLines<Output>(`${folder}/outputs/${name}.jsonl`)).flatMap(({ log, parameters }) =>
    read(encode(log), parameters, `${parameters.source_entry ?? name}`),
  );

const outputs = [
  'accelmark',
  'cloudrift',
  'gpu-llama-bench',
  'gpustack',
  'inferencex-gpt-oss',
  'sglang-cookbook',
  'vllm-mlx',
];

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    'node scripts/public-pack.ts FOLDER [PART...], the folder with mlperf-v5.1.jsonl, inferencex/, llama-bench-*.jsonl and outputs/',
  );
  process.exit(2);
}
await mkdir(out, { recursive: true });
const parts = {
  mlperf: readMlperf,
  inferencex: readInferencex,
  'llama-bench': readLlamaBench,
  ...Object.fromEntries(outputs.map((name) => [name, readOutputs(name)])),
};
for (const [name, readPart] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const lines = (await readPart(folder)).map(toLine);
  const bytes = gzipSync(`${lines.join('\n')}\n`, { level: 9 });
  await writeFile(new URL(`${name}.jsonl.gz`, out), bytes);
  console.log(`${name}: ${lines.length} figures, ${bytes.length} bytes`);
}
