// Builds the pack of published figures for fresh installations (packages/db/sample/public) from a folder with the publications'
// files: node scripts/public-pack.ts FOLDER. It parses figures, units and names like every import. The output is documents of
// the native format, one row per line, each with its source.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { viewDryResult } from '../apps/api/src/result-views.ts';
import { toNativeDocument } from '../packages/core/src/adapters/native/document.ts';
import { findMetric } from '../packages/core/src/metrics/index.ts';
import type { CheckedResult } from '../packages/core/src/subjects/result.ts';
import type { Parameters } from '../packages/core/src/submission/parameters.ts';
import { readSubmission } from '../packages/core/src/submission/read-submission.ts';
import { systemRowOf } from '../packages/db/src/connection/rows.ts';
import { chooseRows, type InferencexRow } from './public-pack-rows.ts';

const out = new URL('../packages/db/sample/public/', import.meta.url);

interface Log {
  path: string;
  log: string;
}

/** Published output of a tool, with the publication's facts. */
interface Output {
  log: string;
  parameters: Record<string, unknown>;
}

const encode = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/** Parses a file like an import. Fails for results that would need review. */
function read(bytes: Uint8Array, given: Record<string, unknown>, name: string): CheckedResult[] {
  const { results } = readSubmission(bytes, given as Parameters, { isImported: true });
  for (const { status, findings } of results)
    if (status !== 'accepted') throw new Error(`${name} is ${status}: ${JSON.stringify(findings)}`);
  return results;
}

/** A result as a line of the native format: the publisher's figures, without derived ones. */
function toLine(result: CheckedResult): string {
  const view = viewDryResult(result, systemRowOf(result.system), 'http://localhost');
  // Values that a publisher states per GPU are recomputed from the total and the number of GPUs.
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

/** Facts from the path of a llama-bench log: model, build of the back end, and options. */
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
  // A failed run prints the heading of its table and no row.
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

/** Outputs of one publication: `outputs/NAME.jsonl`. */
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
  'vllm-recipes',
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
