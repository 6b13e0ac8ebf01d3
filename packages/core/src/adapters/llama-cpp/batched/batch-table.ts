import type { Fault } from '../../../errors.ts';
import { optionValues } from '../../reading/context/command-line.ts';
import { isMissing, parseNumber } from '../../reading/figures/numbers.ts';
import type { ArtifactText } from '../../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../../reading/text/cached-per-artifact.ts';
import { type LlamaContext, readLlamaContext } from '../context.ts';
import { gpusUsed, offloadOf } from '../gpus.ts';
import type { LlamaProgram } from '../landmarks.ts';
import { type LlamaRow, type LlamaTable, tableFinder } from '../table.ts';
import type { BatchRow, BatchSettings, BatchSystem } from './batch-row.ts';

const findTables = tableFinder({
  program: 'the program',
  required: ['PP', 'TG', 'N_KV', 'S_PP t/s', 'S_TG t/s'],
});

const hasB = ({ columns }: LlamaTable) => columns.includes('B');

/** Tables with a column B are from llama-batched-bench, the others from llama-sweep-bench. */
export const findBatchedTables = cachedPerArtifact((artifact) => findTables(artifact).filter(hasB));
export const findSweepTables = cachedPerArtifact((artifact) => findTables(artifact).filter((table) => !hasB(table)));

/** Reads a row. Returns null and adds the errors if a cell is not in the program's format. */
export function readBatchRow({ cells, from, to }: LlamaRow, faults: Fault[]): BatchRow | null {
  const before = faults.length;
  const cell = (column: string, isWhole: boolean): number | null => {
    const text = cells.get(column);
    if (text === undefined || (!isWhole && isMissing(text))) return null;
    const number = parseNumber(text);
    if (number !== null && number >= 0 && (!isWhole || Number.isSafeInteger(number))) return number;
    const message = `"${text.slice(0, 60)}" in column ${column} is not readable: expected a number.`;
    faults.push({ code: 'cell_unreadable', line: from, message });
    return null;
  };
  const b = cell('B', true);
  const row = {
    from,
    to,
    pp: cell('PP', true) ?? 0,
    tg: cell('TG', true) ?? 0,
    b,
    nKv: cell('N_KV', true) ?? 0,
    speedPp: cell('S_PP t/s', false),
    speedTg: cell('S_TG t/s', false),
    durationS: cell('T s', false),
    speed: cell('S t/s', false),
  };
  if (b === 0) faults.push({ code: 'cell_unreadable', line: from, message: 'Column B cannot be 0.' });
  return faults.length > before ? null : row;
}

const settingsLine = /n_kv_max = \d{1,9}, /;

/** The line with the program's start parameters: the last one of its run before the table. */
function readSettings(artifact: ArtifactText, from: number, to: number): BatchSettings {
  const pairs = new Map<string, number>();
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    if (!text.includes('n_kv_max') || !settingsLine.test(text)) continue;
    pairs.clear();
    for (const [, name = '', value = ''] of text.slice(0, 1000).matchAll(/(\w{1,40}) = (-?\d{1,9})(?=,|\s|$)/g))
      pairs.set(name, Number(value));
  }
  const get = (name: string) => pairs.get(name) ?? null;
  return {
    nKvMax: get('n_kv_max'),
    nBatch: get('n_batch'),
    nUbatch: get('n_ubatch'),
    flashAttention: get('flash_attn'),
    isPromptShared: get('is_pp_shared'),
    isGenerationSeparate: get('is_tg_separate'),
    nGpuLayers: get('n_gpu_layers'),
    threads: get('n_threads'),
    threadsBatch: get('n_threads_batch'),
  };
}

/** Devices of different kinds share no name, and a command may select some devices of a kind. */
function toGpu({ devices, found, command }: LlamaContext): Pick<BatchSystem, 'gpu' | 'gpuCount'> {
  const [name] = devices;
  if (devices.some((other) => other !== name)) return { gpu: null, gpuCount: null };
  const option = (...names: string[]) => (command === null ? undefined : optionValues(command, ...names).at(-1));
  const count = gpusUsed(found, {
    devices: option('-dev', '--device'),
    tensorSplit: option('-ts', '--tensor-split'),
    splitMode: option('-sm', '--split-mode'),
  });
  return {
    gpu: name === undefined ? null : { value: name, origin: 'context' },
    gpuCount: count === null ? null : { value: count, origin: 'context' },
  };
}

/** The text before a table. `free` is the range between the adjacent tables. Lines are 1-based and inclusive. */
export function readBatchContext(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
  program: LlamaProgram,
): { settings: BatchSettings; system: Omit<BatchSystem, 'engine'>; build: LlamaContext['build'] } {
  const context = readLlamaContext(artifact, table, free, null, program);
  return {
    settings: readSettings(artifact, context.runFrom, table.from - 1),
    system: {
      model: context.model,
      fileType: context.fileType,
      ...toGpu(context),
      features: offloadOf(context.command),
    },
    build: context.build,
  };
}
