import type { KnownLoad } from '../../load.ts';
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
import { checkMeasured } from '../reading/block-figures.ts';
import { type CommandLine, optionValues } from '../reading/command-line.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { measuredLengths } from '../reading/measured-lengths.ts';
import { modelFacts } from '../reading/model-name.ts';
import { parseNumber } from '../reading/numbers.ts';
import { readEach } from '../reading/read-each.ts';
import { type PerfFigures, readPerfFigures } from './perf-figures.ts';
import { findPerfTables, folderOf, type PerfTables } from './perf-tables.ts';

const id = 'evalscope-perf';

/** The one value of an option; null where it is not given or has several. */
function option(command: CommandLine | null, name: string): string | null {
  if (command === null) return null;
  const at = command.words.indexOf(name);
  const isList = at >= 0 && /^[^-]/.test(command.words[at + 2] ?? '-');
  return isList ? null : (optionValues(command, name).at(-1) ?? null);
}

function toLoad({ users, rate, sent, isMultiTurn }: PerfFigures): KnownLoad | null {
  // Paced requests come at random times; how many may wait for an answer depends on a switch that is not printed.
  if (rate !== null && rate > 0) return { mode: 'rate', level: rate, burstiness: 1 };
  if (users === null || users === 0) return null;
  const isBurst = !isMultiTurn && sent !== null && sent > 1 && users >= sent;
  return isBurst ? { mode: 'burst', level: sent } : { mode: 'concurrency', level: users };
}

function toNotes(run: PerfFigures, load: KnownLoad | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const tell = (code: string, severity: ReaderNote['severity'], message: string, evidence = {}) =>
    notes.push({ code, severity, message, evidence });
  if (load === null) tell('load_unknown', 'warning', 'How the requests were sent is not told.');
  if (run.cameAtOnce)
    tell(
      'not_streamed',
      'info',
      'The first token came with the last, so the answers were not streamed: times of tokens are left out.',
    );
  if (run.isMultiTurn)
    tell('multi_turn', 'info', 'The requests were turns of conversations: each brings those before it along.');
  if ((run.cachedPercent ?? 0) > 0)
    tell('prefix_cache_hits', 'info', `${run.cachedPercent} % of the prompt tokens came from the prefix cache.`, {
      cached_percent: run.cachedPercent,
    });
  return notes;
}

/** Lengths that the command asks for: of data made up, where shortest and longest are the same. */
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
  const load = toLoad(run);
  const named = option(command, '--model');
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
    notes: toNotes(run, load),
    lines: { from: tables.from, to: tables.to },
  };
}

/**
 * What `evalscope perf` prints for each load: a summary, and percentiles of its requests. Seconds until 2026 and ms since,
 * as each label says. The model is named by the command before it or by the folder of the results.
 *
 * Written by https://github.com/modelscope/evalscope/blob/main/evalscope/perf/utils/db_util.py
 */
export const evalscopePerf: Adapter = {
  id,
  title: 'evalscope perf',
  kind: 'serving',
  recognises:
    'a grid whose first row is "Time taken for tests (s)" or "Test Duration (s)", under "Benchmarking summary:"',
  command: 'evalscope perf --model MODEL --url URL --parallel 8 --number 100 | tee result.txt',
  detect: (artifact) => toClaims(id, findPerfTables(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findPerfTables(artifact), claim), claim.from, (tables) => {
      const run = readPerfFigures(tables);
      const { faults, ignored, metrics } = run.figures;
      if (faults.length > 0) throw new ArtifactError(faults);
      checkMeasured(metrics, tables.from, run.sent);
      return { result: toResult(tables, run), ignored };
    });
    return { tool: { name: 'evalscope perf', version: null }, ...read, ...noRemarks };
  },
};
