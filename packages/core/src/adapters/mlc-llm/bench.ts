import { type Adapter, noRemarks } from '../adapter.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { readEach, tableFaults } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findMlcBlocks, type MlcBlock, readMlcBlock, readMlcSent } from './console.ts';
import { findMlcTables, type MlcTable, readMlcRow } from './csv.ts';
import { toMlcResult } from './result.ts';

const id = 'mlc-llm-bench';
const name = 'mlc_llm.bench';

const isProgram = ([first = '', second = '']: readonly string[]) => {
  const program = first.replace(/^.*[/\\]/, '');
  return program === 'mlc_llm.bench' || (program === 'mlc_llm' && second === 'bench');
};

/** Blocks and tables in order, each with the command before it. */
const findReports = cachedPerArtifact((artifact: ArtifactText) => {
  const reports: (MlcBlock | MlcTable)[] = [...findMlcBlocks(artifact), ...findMlcTables(artifact)];
  reports.sort((a, b) => a.from - b.from);
  const contexts = contextsOf(reports, (from, to) => readRunContext(artifact, from, to, isProgram));
  return { reports, contexts };
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
  detect: (artifact) => findReports(artifact).reports.map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { reports, contexts } = findReports(artifact);
    const { found, before } = findAt(reports, claim.from);
    const tool = { name, version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const context = contexts[countBefore(reports, found.from)] ?? null;
    return { tool, ...readReport(artifact, found, context, before?.to ?? 0), ...noRemarks };
  },
};
