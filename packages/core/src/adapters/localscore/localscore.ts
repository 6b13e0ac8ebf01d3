import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import type { LlamaTable } from '../llama-cpp/table.ts';
import { tellIgnored } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findAt } from '../reading/by-line.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { findLocalScoreTables, readLocalScoreContext, readLocalScoreRows } from './console.ts';
import { findLocalScoreCsv, type LocalScoreCsv, readLocalScoreCsv } from './csv.ts';
import { findLocalScoreReports, readLocalScoreReport } from './record.ts';
import { toLocalScoreResult } from './test.ts';

const tool = { name: 'localscore', version: null };

function addEmpty({ metrics, lines }: ParsedResult, faults: Fault[]): void {
  if (metrics.prefill_tok_s !== undefined || metrics.decode_tok_s !== undefined || faults.length >= maxFaults) return;
  const message = `A test on line ${lines.from} has no speed above 0: nothing was measured.`;
  faults.push({ code: 'nothing_measured', line: lines.from, message });
}

function readTable(artifact: ArtifactText, table: LlamaTable, free: { from: number; to: number }): Reading {
  if (table.rows.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [...table.faults];
  const run = readLocalScoreContext(artifact, table, free);
  const results = readLocalScoreRows(table, faults).map((test) => toLocalScoreResult(test, run));
  for (const result of results) addEmpty(result, faults);
  if (table.rows.length === 0 && faults.length === 0)
    faults.push({ code: 'table_empty', line: table.from, message: `The table on line ${table.from} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool, results, ignored: [], ...noRemarks };
}

function readCsvTable(table: LocalScoreCsv): Reading {
  if (table.records.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [];
  const { tests, run } = readLocalScoreCsv(table, faults);
  const results = tests.map((test) => toLocalScoreResult(test, run));
  for (const result of results) addEmpty(result, faults);
  if (table.records.length === 0)
    faults.push({ code: 'table_empty', line: table.from, message: `The table on line ${table.from} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool, results, ignored: [], ...noRemarks };
}

function readReports(artifact: ArtifactText, claim: Claim): Reading {
  const faults: Fault[] = [];
  const ignored = new Set<string>();
  const results: ParsedResult[] = [];
  for (const found of within(findLocalScoreReports(artifact), claim)) {
    if (faults.length >= maxFaults) break;
    const report = readLocalScoreReport(found, faults);
    if (report === null) continue;
    if (results.length + report.tests.length > maxResults) throw tooManyResults(found.from);
    for (const { test, run } of report.tests) {
      const result = toLocalScoreResult(test, run);
      addEmpty(result, faults);
      results.push(result);
    }
    for (const name of report.ignored) ignored.add(name);
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool, results, ignored: tellIgnored(ignored), ...noRemarks };
}

/**
 * LocalScore: nine tests of prompt and answer with one stream in the process, as the report it sends, the table it
 * prints, or the CSV of a client that drives llama-bench. The score over all of them is kept beside the figures.
 *
 * Written by https://github.com/cjpais/LocalScore (`localscore.cpp`, which began as llama-bench).
 */
export const localscore: Adapter = {
  id: 'localscore',
  title: 'LocalScore',
  kind: 'serving',
  recognises:
    'a JSON report with runtime_info, accelerator_info, results and results_summary, or a table with the columns test, run, avg time, tokens, pp t/s, tg t/s and ttft, or CSV with test,n_prompt,n_gen,prompt_tps,gen_tps,ttft_ms',
  command: 'localscore -m MODEL.gguf | tee result.txt',
  detect: (artifact) => [
    ...findLocalScoreTables(artifact).map(({ from, to }) => ({ adapter: 'localscore', from, to })),
    ...toClaims('localscore', findLocalScoreReports(artifact)),
    ...findLocalScoreCsv(artifact).map(({ from, to }) => ({ adapter: 'localscore', from, to })),
  ],
  read: (artifact, claim) => {
    const { found, before, after } = findAt(findLocalScoreTables(artifact), claim.from);
    if (found === null) {
      const csv = findAt(findLocalScoreCsv(artifact), claim.from).found;
      return csv === null ? readReports(artifact, claim) : readCsvTable(csv);
    }
    const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
    return readTable(artifact, found, free);
  },
};
