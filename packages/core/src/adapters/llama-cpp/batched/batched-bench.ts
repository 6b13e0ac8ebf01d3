import type { Fault } from '../../../errors.ts';
import { type Adapter, type Claim, noRemarks, type Reading } from '../../adapter.ts';
import type { JsonRecord } from '../../reading/documents/json-records.ts';
import { toClaims, within } from '../../reading/documents/json-records.ts';
import { readEach, readRows } from '../../reading/tables/read-each.ts';
import type { ArtifactText } from '../../reading/text/artifact-text.ts';
import { findAt } from '../../reading/text/by-line.ts';
import type { LlamaProgram } from '../landmarks.ts';
import type { LlamaTable } from '../table.ts';
import { findBatchedRecords, findSweepRecords, readBatchRecord } from './batch-record.ts';
import { type BatchRow, isMeasured, toBatchResult } from './batch-row.ts';
import { findBatchedTables, findSweepTables, readBatchContext, readBatchRow } from './batch-table.ts';

/** The two programs, which differ only in the number of sequences. */
interface Program {
  id: LlamaProgram;
  name: string;
  engine: string;
  findTables(artifact: ArtifactText): LlamaTable[];
  findRecords(artifact: ArtifactText): JsonRecord[];
}

const batched: Program = {
  id: 'llama-batched-bench',
  name: 'llama-batched-bench',
  engine: 'llama.cpp',
  findTables: findBatchedTables,
  findRecords: findBatchedRecords,
};
const sweep: Program = {
  id: 'llama-sweep-bench',
  name: 'ik_llama.cpp sweep-bench',
  engine: 'ik_llama.cpp',
  findTables: findSweepTables,
  findRecords: findSweepRecords,
};

const noSystem = { model: null, fileType: null, gpu: null, gpuCount: null, features: {} };

function addEmpty(row: BatchRow, faults: Fault[]): void {
  const message = `The row on line ${row.from} has no speed above 0: nothing was measured.`;
  if (!isMeasured(row)) faults.push({ code: 'nothing_measured', line: row.from, message });
}

function readTable(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
  { id, engine, name }: Program,
): Reading {
  const { settings, system, build } = readBatchContext(artifact, table, free, id);
  const { results } = readRows(table, (cells, faults) => {
    const row = readBatchRow(cells, faults);
    if (row === null) return null;
    addEmpty(row, faults);
    const result = toBatchResult(row, { ...system, engine }, settings);
    return build === null ? result : { ...result, extra: { ...result.extra, build_commit: build.commit } };
  });
  // Phase times repeat the speeds.
  const ignored = ['T_PP s', 'T_TG s'].filter((column) => table.columns.includes(column));
  return { tool: { name, version: null }, results, ignored, ...noRemarks };
}

function readRecords(artifact: ArtifactText, claim: Claim, { name, engine, findRecords }: Program): Reading {
  const read = readEach(within(findRecords(artifact), claim), claim.from, (record) => {
    const { row, settings, ignored } = readBatchRecord(record);
    const faults: Fault[] = [];
    addEmpty(row, faults);
    const result = toBatchResult(row, { ...noSystem, engine }, settings);
    return { result, ignored: ['t_pp', 't_tg', ...ignored], faults };
  });
  return { tool: { name, version: null }, ...read, ...noRemarks };
}

function toAdapter(program: Program, description: Pick<Adapter, 'title' | 'recognises' | 'command'>): Adapter {
  const { id, findTables, findRecords } = program;
  return {
    id,
    kind: 'serving',
    ...description,
    detect: (artifact) => [
      ...findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
      ...toClaims(id, findRecords(artifact)),
    ],
    read: (artifact, claim) => {
      const { found, before, after } = findAt(findTables(artifact), claim.from);
      if (found === null) return readRecords(artifact, claim, program);
      const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
      return readTable(artifact, found, free, program);
    },
  };
}

/**
 * `llama-batched-bench`: B parallel sequences of PP prompt and TG generated tokens, timed in the process. `S_TG` is the
 * total decode speed of all sequences. The output does not name the model or the device; the log before it may.
 *
 * Written by https://github.com/ggml-org/llama.cpp/blob/master/tools/batched-bench/batched-bench.cpp
 */
export const llamaBatchedBench = toAdapter(batched, {
  title: 'llama-batched-bench',
  recognises:
    'a table with the columns PP, TG, B, N_KV, S_PP t/s and S_TG t/s, or JSON lines with n_kv_max, pp, tg and pl',
  command: 'llama-batched-bench -m MODEL.gguf -npp 512 -ntg 128 -npl 1,8 2>&1 | tee result.txt',
});

/**
 * `llama-sweep-bench` of ik_llama.cpp: one sequence with PP prompt and TG generated tokens after a cache of N_KV tokens,
 * which grows from row to row.
 *
 * Written by https://github.com/ikawrakow/ik_llama.cpp/blob/main/examples/sweep-bench/sweep-bench.cpp
 */
export const llamaSweepBench = toAdapter(sweep, {
  title: 'ik_llama.cpp sweep-bench',
  recognises: 'a table with the columns PP, TG, N_KV, S_PP t/s and S_TG t/s and no B',
  command: 'llama-sweep-bench -m MODEL.gguf -c 16384 2>&1 | tee result.txt',
});
