import type { KnownLoad } from '../../subjects/load.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { type CommandLine, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { withServer } from '../serving/server-command.ts';
import { toServingLoad } from '../vllm/serving.ts';
import { type PerfFigures, readPerfFigures } from './perf-figures.ts';
import { findPerfFiles } from './perf-files.ts';
import { findPerfReports } from './perf-report.ts';
import { findPerfTables, folderOf, type PerfTables } from './perf-tables.ts';

const id = 'evalscope-perf';

/** The single value of an option; null if it is missing or has several. */
function option(command: CommandLine | null, name: string): string | null {
  if (command === null) return null;
  const at = command.words.indexOf(name);
  const isList = at >= 0 && /^[^-]/.test(command.words[at + 2] ?? '-');
  return isList ? null : (optionValues(command, name).at(-1) ?? null);
}

interface Loaded {
  load: KnownLoad | null;
  notes: ReaderNote[];
}

function toLoad(run: PerfFigures, command: CommandLine | null): Loaded {
  const { users, rate, sent, isMultiTurn, figures } = run;
  // Paced requests arrive at random times. The limit of waiting requests depends on a switch that is not printed.
  if (rate !== null && rate > 0) return { load: { mode: 'rate', level: rate, burstiness: 1 }, notes: [] };
  if (users === null || users === 0) return { load: null, notes: [] };
  // Before 2026, the rate is not printed, and a fixed number of clients sends the paced requests.
  const paced = rate === null ? parseNumber(option(command, '--rate') ?? '') : null;
  if (paced !== null && paced > 0)
    return toServingLoad({ rate: paced, cap: users, burstiness: 1, sent: sent ?? 0 }, figures.metrics);
  const isBurst = !isMultiTurn && sent !== null && sent > 1 && users >= sent;
  return { load: isBurst ? { mode: 'burst', level: sent } : { mode: 'concurrency', level: users }, notes: [] };
}

function toNotes(run: PerfFigures, { load, notes: ofLoad }: Loaded): ReaderNote[] {
  const notes = [...ofLoad];
  const addNote = (code: string, severity: ReaderNote['severity'], message: string, evidence = {}) =>
    notes.push({ code, severity, message, evidence });
  if (load === null) addNote('load_unknown', 'warning', 'The artifact does not state how the requests were sent.');
  if (run.cameAtOnce)
    addNote(
      'not_streamed',
      'info',
      'The first token arrived with the last, so the responses were not streamed. Token times are omitted.',
    );
  const { success_percent: success } = run.figures.extra;
  if (success !== undefined && success < 100)
    addNote('requests_failed', 'warning', `${success} % of the requests succeeded.`, { success_percent: success });
  if (run.isMultiTurn)
    addNote('multi_turn', 'info', 'The requests were turns of conversations: each includes the previous turns.');
  if ((run.cachedPercent ?? 0) > 0)
    addNote('prefix_cache_hits', 'info', `${run.cachedPercent} % of the prompt tokens came from the prefix cache.`, {
      cached_percent: run.cachedPercent,
    });
  return notes;
}

/** Lengths that the command requests: for synthetic data whose minimum and maximum are equal. */
function askedLengths(command: CommandLine | null): { input: number | null; output: number | null } {
  const number = (name: string) => parseNumber(option(command, name) ?? '');
  const same = (least: number | null, most: number | null) =>
    least !== null && least > 0 && least === most ? least : null;
  const isRandom = option(command, '--dataset') === 'random';
  const prefix = number('--prefix-length') ?? 0;
  const input = isRandom && prefix === 0 ? same(number('--min-prompt-length'), number('--max-prompt-length')) : null;
  return { input, output: same(number('--min-tokens'), number('--max-tokens')) };
}

function toResult(tables: PerfTables, run: PerfFigures): ParsedResult {
  const { figures } = run;
  const { command } = tables;
  const loaded = toLoad(run, command);
  const { load } = loaded;
  const named = tables.model ?? option(command, '--model');
  const folder = (run.path === null ? null : folderOf(run.path)) ?? tables.folder;
  const dataset = option(command, '--dataset');
  const asked = askedLengths(command);
  const length = (stated: number | null): Fact<number> | null =>
    stated === null ? null : { value: stated, origin: 'context' };
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...(named === null
        ? modelFacts(folder === null ? null : toPlainText(folder), 'inferred')
        : modelFacts(named, 'context')),
      features: (run.cachedPercent ?? 0) > 0 ? { prefix_caching: true } : {},
    },
    scenario: {
      ...noScenario,
      inputTokens: length(asked.input),
      outputTokens: length(asked.output),
      ...measuredLengths(run.meanInput, run.meanOutput),
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
    },
    load,
    metrics: Object.fromEntries(figures.metrics),
    definitions: run.definitions,
    extra: {
      ...(load?.mode === 'rate' && run.users !== null ? { concurrency: run.users } : {}),
      ...(run.isMultiTurn ? { multi_turn: true } : {}),
      ...figures.extra,
    },
    notes: toNotes(run, loaded),
    lines: { from: tables.from, to: tables.to },
  };
}

/** All runs that an artifact describes: printed summaries, reports of all loads and files. */
const findRuns = cachedPerArtifact((artifact): PerfTables[] => {
  const summaries = findPerfTables(artifact);
  const runs = [...summaries, ...findPerfReports(artifact, summaries), ...findPerfFiles(artifact)];
  return runs.sort((a, b) => a.from - b.from);
});

/**
 * The summary and request percentiles that `evalscope perf` prints for each load, its report of all loads
 * (`performance_summary.txt`), and its files `benchmark_summary.json` and `benchmark_percentile.json`. Times are in seconds before 2026 and in ms
 * since, as each label states. The command before the summary or the folder of the results names the model.
 *
 * Written by https://github.com/modelscope/evalscope/blob/main/evalscope/perf/utils/db_util.py
 */
export const evalscopePerf: Adapter = {
  id,
  title: 'evalscope perf',
  kind: 'serving',
  recognises:
    'a grid whose first row is "Time taken for tests (s)" or "Test Duration (s)", or a line "Time taken for tests: N seconds", under "Benchmarking summary:"; the report of all loads, a table whose columns begin with "Conc."; or benchmark_summary.json',
  command: 'evalscope perf --model MODEL --url URL --parallel 8 --number 100 | tee result.txt',
  detect: (artifact) => toClaims(id, findRuns(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findRuns(artifact), claim), claim.from, (tables) => {
      const run = readPerfFigures(tables);
      const { faults, ignored, metrics } = run.figures;
      if (faults.length > 0) throw new ArtifactError(faults);
      checkMeasured(metrics, tables.from, run.sent);
      return { result: withServer(toResult(tables, run), artifact, tables), ignored };
    });
    return { tool: { name: 'evalscope perf', version: null }, ...read, ...noRemarks };
  },
};
