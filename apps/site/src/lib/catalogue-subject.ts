import type { Metric } from '@inferboard/core/metrics/index';
import type { Api } from './api.ts';
import type { Parameter } from './board-query.ts';
import { type Answer, presetsFor, readAnswers, readScenarios } from './catalogue-answers.ts';
import { type EntryRow, toEntryRows } from './catalogue-entries.ts';
import type { Kind } from './catalogue-facts.ts';
import { metricOf } from './metric-text.ts';
import { toPath, toQuery } from './parameters.ts';
import { type Entries, readEntries } from './read-entries.ts';

/** What the results say about one model, GPU or quantization, within one scenario: like is compared with like. */
export interface SubjectView {
  scenarios: string[];
  scenario: string | null;
  answers: Answer[];
  /** The whole board of the scenario, as far as one page goes. */
  board: { metric: Metric; rows: EntryRow[]; hasMore: boolean } | null;
  /** What is compared where its systems leave a fact unspecified; null where they make boards of systems. */
  within: ComparedView | null;
  /** Filters of all results of the subject, and of those in the scenario. */
  subject: Parameter[];
  boardPath: string;
  csvPath: string;
}

/** Systems that leave a fact unspecified: one account's, by what can be compared. */
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

/** Null where there is nothing to compare within an account. */
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
const across: Record<Kind['fact'], 'model' | 'gpu' | 'quantization' | 'system'> = {
  model: 'gpu',
  gpu: 'model',
  quantization: 'model',
  scenario: 'system',
};

/** Asked of the API for a page about one value of a fact; `scenario` as its address says, else the one of most systems. */
export async function readSubject(
  api: Api,
  fact: Kind['fact'],
  id: string,
  asked: string | null,
): Promise<SubjectView> {
  const subject: Parameter[] = [[fact, id]];
  const scenarios = fact === 'scenario' ? [id] : await readScenarios(api, subject, across[fact]);
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

/** Metrics that results under some filters have, by the order given. */
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
