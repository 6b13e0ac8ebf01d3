import type { Fault } from '../../errors.ts';
import { type Adapter, type Fact, noFacts, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { parseSize, parseSpeed, parseTest } from './cells.ts';
import { engineOfType, toFigures, toFileType, toLlamaEngine } from './figures.ts';
import { type LlamaRow, type LlamaTable, tableFinder } from './table.ts';

const id = 'llama-compare';

const program = 'compare-llama-bench.py';
const findPrinted = tableFinder({ program, required: ['Speedup', 'Model', 'Test'] });
/** Some people replace the columns of one test with those of llama-bench. */
const findRenamed = tableFinder({ program, required: ['Speedup', 'model', 'test'] });
const names: Record<string, string> = { model: 'Model', test: 'Test', backend: 'Backends' };
const toPrinted = (column: string) => (Object.hasOwn(names, column) ? (names[column] ?? column) : column);

/** The table with the names that the program prints. */
function withPrintedNames(table: LlamaTable): LlamaTable {
  const rows = table.rows.map((row) => ({
    ...row,
    cells: new Map([...row.cells].map(([column, text]) => [toPrinted(column), text])),
  }));
  return { ...table, columns: table.columns.map(toPrinted), rows };
}

/** The columns of the two builds: `t/s master`, `t/s 277014f50`. */
const buildsOf = ({ columns }: LlamaTable) => columns.filter((column) => /^t\/s \S/.test(column));

/** Other tables have a speedup column too; this table compares two builds. */
const findTables = cachedPerArtifact((artifact): LlamaTable[] => {
  const all = [...findPrinted(artifact), ...findRenamed(artifact).map(withPrintedNames)];
  return all.filter((table) => buildsOf(table).length === 2).sort((a, b) => a.from - b.from);
});

/** Columns by their names in llama-bench. */
const settings: Record<string, string> = {
  'GPU layers': 'n_gpu_layers',
  'Tensor overrides': 'override_tensor',
  'Batch size': 'n_batch',
  'Microbatch size': 'n_ubatch',
  Embeddings: 'embeddings',
  'CPU mask': 'cpu_mask',
  'CPU strict': 'cpu_strict',
  Poll: 'poll',
  Threads: 'threads',
  'K type': 'type_k',
  'V type': 'type_v',
  'Use mmap': 'mmap',
  NKVO: 'no_kv_offload',
  'Split mode': 'split_mode',
  'Main GPU': 'main_gpu',
  'Tensor split': 'tensor_split',
  FlashAttention: 'flash_attention',
};
const own = new Set(['', 'GPU', 'CPU', 'Backends', 'Model', 'Test', 'Speedup']);
const size = /^Model size \[GiB\]$/i;
const parameters = /^Num\. of par\.$/i;
const isOwn = (column: string) =>
  own.has(column) || column.startsWith('t/s ') || size.test(column) || parameters.test(column);

function toValue(text: string): string | number | boolean {
  if (text === 'Yes' || text === 'No') return text === 'Yes';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/**
 * Columns next to a test that differ between rows, or that the user requested. Rows with different values are not
 * repetitions.
 */
function toFeatures(row: LlamaRow, build: string): Record<string, string | number | boolean> {
  const features: Record<string, string | number | boolean> = { build };
  for (const [column, text] of row.cells) {
    if (isOwn(column) || text === '') continue;
    const name = Object.hasOwn(settings, column) ? (settings[column] ?? column) : column;
    features[name] = toValue(text.slice(0, 200));
  }
  if (features.n_gpu_layers === 0 || features.no_kv_offload === true) features.offload = true;
  return features;
}

/** `2x RTX 3090`, `V100-PCIE-32GB`. Devices of different kinds have no common name. */
function toGpu(text: string): { gpu: Fact<string> | null; gpuCount: Fact<number> | null } {
  const [, count, name] = /^(?:(\d{1,3})x )?([^,]{1,100})$/.exec(text.trim()) ?? [];
  if (name === undefined) return { gpu: null, gpuCount: null };
  return {
    gpu: { value: name.trim(), origin: 'stated' },
    gpuCount: { value: Number(count ?? 1), origin: 'stated' },
  };
}

function toExtra(row: LlamaRow, build: string): ParsedResult['extra'] {
  const cellOf = (isWanted: (column: string) => boolean) =>
    [...row.cells].find(([column]) => isWanted(column))?.[1] ?? '';
  const [backend, cpu] = ['Backends', 'CPU'].map((name) => (row.cells.get(name) ?? '').slice(0, 200));
  const bytes = parseSize(`${cellOf((column) => size.test(column))} GiB`);
  const params = parseNumber(cellOf((column) => parameters.test(column)));
  return {
    printed_model: row.cells.get('Model') ?? '',
    build,
    ...(backend ? { backend } : {}),
    ...(cpu ? { cpu } : {}),
    ...(bytes === null ? {} : { file_bytes: bytes }),
    ...(params === null ? {} : { params }),
  };
}

/** The two results of a row. Errors are added to the list. */
function readRow(row: LlamaRow, columns: readonly string[], faults: Fault[]): ParsedResult[] {
  const cell = (name: string) => row.cells.get(name) ?? '';
  const unreadable = (name: string, wanted: string) => {
    const message = `"${cell(name).slice(0, 60)}" in column ${name} is not readable: expected something such as ${wanted}.`;
    faults.push({ code: 'cell_unreadable', line: row.from, message });
    return [];
  };
  const test = parseTest(cell('Test'));
  if (test === null) return unreadable('Test', 'pp512 or tg128');
  return columns.flatMap((column): ParsedResult[] => {
    const speed = parseSpeed(cell(column));
    if (speed === null) return unreadable(column, '9001.00');
    const build = column.slice('t/s '.length).trim();
    return [
      {
        kind: 'serving',
        system: {
          ...noFacts,
          ...toGpu(cell('GPU')),
          quantization: toFileType(cell('Model')),
          ...toLlamaEngine(null, engineOfType(cell('Model')) ?? 'llama.cpp'),
          // A tag is a version; a branch or a commit is not.
          engineVersion: /^b\d{2,6}$/.test(build) ? { value: build, origin: 'stated' } : null,
          features: toFeatures(row, build),
        },
        ...toFigures({ test, average: speed.average, sd: null, n: null, samples: null }),
        requests: null,
        limits: null,
        extra: toExtra(row, build),
        notes: [],
        measuredAt: null,
        lines: { from: row.from, to: row.to },
      },
    ];
  });
}

function readTable(table: LlamaTable): Reading {
  const builds = buildsOf(table);
  if (table.rows.length * builds.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [...table.faults];
  const results: ParsedResult[] = [];
  for (const row of table.rows) {
    if (faults.length >= maxFaults) break;
    results.push(...readRow(row, builds, faults));
  }
  if (table.rows.length === 0 && faults.length === 0)
    faults.push({ code: 'table_empty', line: table.from, message: `The table on line ${table.from} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  return { tool: { name: 'compare-llama-bench.py', version: null }, results, ignored: [], ...noRemarks };
}

/**
 * The table of llama.cpp's `compare-llama-bench.py`. Each row is one llama-bench test with two builds, so it gives two
 * results that differ in the feature `build`. Speeds are means over the runs of each build. The table has no spread, and the
 * speedup is the quotient of the speeds.
 *
 * Written by https://github.com/ggml-org/llama.cpp/blob/master/scripts/compare-llama-bench.py
 */
export const llamaCompare: Adapter = {
  id,
  title: 'compare-llama-bench.py',
  kind: 'serving',
  recognises: 'a table with the columns Model, Test, t/s of two builds and Speedup',
  command: './scripts/compare-llama-bench.py -b master -c BRANCH -i llama-bench.sqlite',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findTables(artifact), claim.from);
    const tool = { name: 'compare-llama-bench.py', version: null };
    return found === null ? { tool, results: [], ignored: [], ...noRemarks } : readTable(found);
  },
};
