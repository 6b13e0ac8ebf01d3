import type { Metric } from '@inferboard/core/metrics/index';
import type { Api } from '../../../lib/api.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { type Entries, readEntries } from '../../board/data/read-entries.ts';
import { type Answer, presetsFor, readAnswers, readScenarios } from './catalogue-answers.ts';
import { type EntryRow, toEntryRows } from './catalogue-entries.ts';
import type { Kind } from './catalogue-facts.ts';

/** The results of one model, GPU or quantization within one scenario. */
export interface SubjectView {
  scenarios: string[];
  scenario: string | null;
  answers: Answer[];
  /** The first page of the scenario's board. */
  board: { metric: Metric; rows: EntryRow[]; hasMore: boolean } | null;
  /** The comparable subjects if its systems leave a fact unspecified; null if they are on boards of systems. */
  within: ComparedView | null;
  /** Filters for all results of the subject, and for those in the scenario. */
  subject: Parameter[];
  boardPath: string;
  csvPath: string;
}

/** Compares systems that leave a fact unspecified, within one account. */
export interface ComparedView {
  metric: Metric;
  rows: EntryRow[];
  subject: 'quantization' | 'engine';
  account: string;
  workload: string;
  boardHref: string;
}

export const comparedText = ({ subject, account }: ComparedView): string =>
  `Systems that leave their model, GPU or quantization unspecified are compared by ${subject}, within the account ${account}.`;

/** Null if no results within an account are comparable. */
export function toCompared(
  { entries, rankBy, workload, subject, account }: Entries,
  filters: readonly Parameter[],
): ComparedView | null {
  const metric = metricOf(rankBy ?? '');
  if (metric === null || subject === 'system' || account === null || workload === null) return null;
  const boardHref = toPath('/', [
    ['subject', subject],
    ['rank_by', metric.name],
    ...filters.filter(([name]) => name !== 'scenario'),
    ['workload', workload],
  ]);
  return { metric, rows: toEntryRows(entries, metric), subject, account: account.name, workload, boardHref };
}

const rowsMax = '25';

/** Reads the data of a page about one value of a fact. `scenario` is from the URL; by default the one with the most systems. */
export async function readSubject(
  api: Api,
  fact: Kind['fact'],
  id: string,
  asked: string | null,
): Promise<SubjectView> {
  const subject: Parameter[] = [[fact, id]];
  const scenarios = fact === 'scenario' ? [id] : await readScenarios(api, subject);
  const scenario = asked ?? scenarios[0] ?? null;
  const within: Parameter[] = fact === 'scenario' || scenario === null ? subject : [...subject, ['scenario', scenario]];
  const answers = scenario === null ? [] : await readAnswers(api, within, presetsFor(fact === 'model' ? id : null));
  const metric =
    answers.find(({ preset, metric: found }) => preset.id === 'most' && found !== null)?.metric ??
    answers.find(({ metric: found }) => found !== null)?.metric ??
    null;
  const rankBy = metric?.name ?? 'decode_tok_s';
  const { data } =
    metric === null
      ? { data: null }
      : await api.getLeaderboard({ ...toQuery(within), rank_by: [rankBy], limit: [rowsMax] });
  const parameters: Parameter[] = [['rank_by', rankBy], ...within];
  const shown = answers.filter(({ metric: found, nearest }) => found !== null || nearest !== null);
  return {
    scenarios,
    scenario,
    answers: shown,
    within: shown.length > 0 ? null : toCompared(await readEntries(api, toQuery(within)), within),
    board:
      metric === null || data === null
        ? null
        : { metric, rows: toEntryRows(data.data, metric), hasMore: data.next_cursor !== null },
    subject: within,
    boardPath: toPath('/v1/leaderboard', parameters),
    csvPath: toPath('/v1/leaderboard.csv', parameters),
  };
}

/** Metrics of the filtered results, in the given order. */
export async function readPresent(
  api: Api,
  filters: readonly Parameter[],
  names: readonly string[],
): Promise<Metric[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const { entries } = await readEntries(api, { ...toQuery(filters), rank_by: [name], limit: ['1'] });
      return entries.length > 0 ? metricOf(name) : null;
    }),
  );
  return found.filter((metric) => metric !== null);
}
