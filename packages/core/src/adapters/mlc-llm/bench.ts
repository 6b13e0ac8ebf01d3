import { type Adapter, noRemarks } from '../adapter.ts';
import { ArtifactError, maxResults } from '../errors.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { readEach, tableFaults } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findMlcBlocks, type MlcBlock, readMlcBlock, readMlcSent } from './console.ts';
import { findMlcTables, type MlcTable, readMlcRow } from './csv.ts';
import type { MlcReport } from './report.ts';
import { toMlcResult } from './result.ts';

const id = 'mlc-llm-bench';
const name = 'mlc_llm.bench';

const isProgram = ([first = '', second = '']: readonly string[]) => {
  const program = first.replace(/^.*[/\\]/, '');
  return program === 'mlc_llm.bench' || (program === 'mlc_llm' && second === 'bench');
};

const counts = ['num_total_requests', 'num_completed_requests', 'total_input_tokens', 'total_output_tokens'];
/** Half of the last printed digit of a duration, with room for its binary form. */
const rounding = 0.005 + 1e-9;

/** Whether two reports describe one run: a block rounds the duration that its CSV has in full. */
function isSameRun(block: MlcReport, row: MlcReport): boolean {
  const [printed, exact] = [block.values.get('duration'), row.values.get('duration')];
  if (printed === undefined || exact === undefined || Math.abs(printed - exact) > rounding) return false;
  return counts.every((name) => block.values.has(name) && block.values.get(name) === row.values.get(name));
}

/** The report of a block or row; null if it has errors, which are reported when it is read. */
function tryRead(read: () => MlcReport): MlcReport | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ArtifactError) return null;
    throw error;
  }
}

/** The blocks whose figures a row of a CSV repeats with more digits. */
function findRepeated(blocks: readonly MlcBlock[], tables: readonly MlcTable[]): Set<MlcBlock> {
  const rows = tables.flatMap((table) =>
    table.rows.slice(0, maxResults).map((row) => tryRead(() => readMlcRow(table, row))),
  );
  return new Set(
    blocks.filter((block) => {
      const report = rows.length === 0 ? null : tryRead(() => readMlcBlock(block, null));
      return report !== null && rows.some((row) => row !== null && isSameRun(report, row));
    }),
  );
}

/** Blocks and tables in order, each with the command before it. Repeated blocks are apart. */
const findReports = cachedPerArtifact((artifact: ArtifactText) => {
  const [blocks, tables] = [findMlcBlocks(artifact), findMlcTables(artifact)];
  const repeated = findRepeated(blocks, tables);
  const reports: (MlcBlock | MlcTable)[] = [...blocks.filter((block) => !repeated.has(block)), ...tables];
  reports.sort((a, b) => a.from - b.from);
  const contexts = contextsOf(reports, (from, to) => readRunContext(artifact, from, to, isProgram));
  return { reports, repeated: [...repeated], contexts };
});

function readReport(artifact: ArtifactText, report: MlcBlock | MlcTable, context: RunContext | null, after: number) {
  if ('columns' in report)
    return readEach(
      report.rows,
      report.from,
      (row) => toMlcResult(readMlcRow(report, row), context),
      tableFaults({ ...report, faults: [] }),
    );
  const sent = readMlcSent(artifact, after + 1, report.from - 1);
  return readEach([report], report.from, (block) => toMlcResult(readMlcBlock(block, sent), context));
}

/**
 * MLC LLM's benchmark of an OpenAI-compatible server: its printed blocks and its CSV. The lengths of responses are counted
 * with the given tokenizer, and a response that arrives in one chunk counts as failed. Neither the block nor the CSV names
 * the model and the server; only the command does.
 *
 * Written by https://github.com/mlc-ai/mlc-llm/blob/main/python/mlc_llm/bench/request_record.py
 */
export const mlcLlmBench: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'a block "Benchmark Result" with "Completed requests:" and "Num GPUs:", or CSV with the columns num_completed_requests and time_to_first_token_s.mean',
  command: 'python -m mlc_llm.bench --tokenizer MODEL --api-endpoint mlc ... 2>&1 | tee result.txt',
  detect: (artifact) => {
    const { reports, repeated } = findReports(artifact);
    return [...reports, ...repeated].map(({ from, to }) => ({ adapter: id, from, to }));
  },
  read: (artifact, claim) => {
    const { reports, repeated, contexts } = findReports(artifact);
    if (repeated.some(({ from }) => from === claim.from)) {
      const ignored = [`the block on line ${claim.from}: the CSV has its figures with more digits`];
      return { tool: { name, version: null }, results: [], ignored, ...noRemarks };
    }
    const { found, before } = findAt(reports, claim.from);
    const tool = { name, version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const context = contexts[countBefore(reports, found.from)] ?? null;
    return { tool, ...readReport(artifact, found, context, before?.to ?? 0), ...noRemarks };
  },
};
