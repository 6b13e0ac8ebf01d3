import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findLocalScoreTables, readLocalScoreContext, readLocalScoreRows } from './console.ts';
import { findLocalScoreCsv, readLocalScoreCsv } from './csv.ts';
import { findLocalScoreReports, readLocalScoreReport } from './record.ts';
import { type LocalScoreRun, type LocalScoreTest, toLocalScoreResult } from './test.ts';

const tool = { name: 'localscore', version: null };

function toResults(tests: readonly { test: LocalScoreTest; run: LocalScoreRun }[], faults: Fault[]): ParsedResult[] {
  const results = tests.map(({ test, run }) => toLocalScoreResult(test, run));
  for (const { metrics, lines } of results) {
    if (metrics.prefill_tok_s !== undefined || metrics.decode_tok_s !== undefined || faults.length >= maxFaults)
      continue;
    const message = `A test on line ${lines.from} has no speed above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: lines.from, message });
  }
  return results;
}

function readTable(
  line: number,
  rows: readonly unknown[],
  read: (faults: Fault[]) => { tests: LocalScoreTest[]; run: LocalScoreRun },
): Reading {
  if (rows.length > maxResults) throw tooManyResults(line);
  const faults: Fault[] = [];
  const { tests, run } = read(faults);
  const results = toResults(
    tests.map((test) => ({ test, run })),
    faults,
  );
  if (rows.length === 0 && faults.length === 0)
    faults.push({ code: 'table_empty', line, message: `The table on line ${line} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool, results, ignored: [], ...noRemarks };
}

function readReports(artifact: ArtifactText, claim: Claim): Reading {
  const read = readEach(within(findLocalScoreReports(artifact), claim), claim.from, (record) => {
    const report = readLocalScoreReport(record);
    const faults: Fault[] = [];
    return { results: toResults(report.tests, faults), ignored: report.ignored, faults };
  });
  return { tool, ...read, ...noRemarks };
}

/**
 * LocalScore: nine tests of prompt and generation with one stream in the process. Reads the report it sends, the table it
 * prints, and the CSV of a client that runs llama-bench. The overall score is stored with the figures.
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
      if (csv === null) return readReports(artifact, claim);
      return readTable(csv.from, csv.records, (faults) => readLocalScoreCsv(csv, faults));
    }
    const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
    return readTable(found.from, found.rows, (faults) => {
      faults.push(...found.faults);
      return { tests: readLocalScoreRows(found, faults), run: readLocalScoreContext(artifact, found, free) };
    });
  },
};
