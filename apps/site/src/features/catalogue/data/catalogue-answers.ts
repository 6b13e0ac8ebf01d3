import { sloPresets } from '@inferboard/core/catalogue/index';
import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import { thresholdsAt, ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import { regimes } from '@inferboard/core/workloads/regime';
import type { Api, Leaderboard } from '../../../lib/api.ts';
import { formatWithUnit } from '../../../lib/format.ts';
import { definitionText, metricOf } from '../../../lib/metric-text.ts';
import { toQuery } from '../../../lib/parameters.ts';
import { boardHref, type Parameter, readBoardQuery } from '../../board/data/board-query.ts';
import { type EntryRow, toEntryRows } from './catalogue-entries.ts';

/** A common question of readers: bounds and a ranking metric. */
export interface Preset {
  id: string;
  title: string;
  /** The source of the bounds. */
  why: string | null;
  bounds: readonly Parameter[];
  /** The first of them with results is used. */
  rankBy: readonly MetricName[];
}

export interface Answer {
  preset: Preset;
  metric: Metric | null;
  /** Of tokens per joule: the power that they are based on. */
  made: string | null;
  /** The first place and the rows that share it. */
  best: EntryRow | null;
  runnersUp: EntryRow[];
  /** Number of systems that meet the bounds. */
  count: number;
  hasMore: boolean;
  /** If no system meets the bounds: the closest result. */
  nearest: { text: string; entry: EntryRow } | null;
  boardHref: string;
}

/** Answers whose best results were measured at the same load. */
export interface AnswerGroup {
  /** "4 concurrent"; null for questions without an answer. */
  load: string | null;
  /** Each row has the questions that one value of one system answers. */
  rows: Answer[][];
}

/** The answers in order, with those of one value of one system together. */
function togetherByBest(answers: readonly Answer[]): Answer[][] {
  const keyOf = ({ preset, best }: Answer) =>
    best === null
      ? preset.id
      : JSON.stringify([best.id, best.scenario, best.load, best.figure.value, best.figure.unit, best.place]);
  return [...Map.groupBy(answers, keyOf).values()];
}

/** The answers by load, the lowest load first: speeds at different loads are not comparable. */
export function groupByLoad(answers: readonly Answer[]): AnswerGroup[] {
  const levelOf = ({ best }: Answer) => (best === null ? Number.POSITIVE_INFINITY : (best.level ?? Number.MAX_VALUE));
  const ordered = answers.toSorted((a, b) => Math.sign(levelOf(a) - levelOf(b)) || 0);
  return [...Map.groupBy(ordered, ({ best }) => best?.load ?? null)].map(([load, list]) => ({
    ...{ load, rows: togetherByBest(list) },
  }));
}

const rates: readonly MetricName[] = ['output_tok_s_per_gpu', 'decode_tok_s', 'output_tok_s', 'prefill_tok_s'];
/** Ranking metrics of a bounded question: the speed per user if no rate was measured, else the bounded metric. */
const boundedBy = (bounded: MetricName): MetricName[] => [...rates, 'user_tok_s', bounded];
const limits = thresholdsAt(ttftLimitDefaultS);

/** In a burst every user waits for the others, so its speed for one user answers another question. */
const withoutBursts: readonly Parameter[] = regimes
  .filter((regime) => regime !== 'burst')
  .map((regime): Parameter => ['regime', regime]);

const unbounded: readonly Preset[] = [
  {
    id: 'fastest',
    title: 'Fastest for one user',
    why: null,
    bounds: withoutBursts,
    rankBy: ['user_tok_s', 'prefill_tok_s'],
  },
  { id: 'most', title: 'Most tokens per second', why: null, bounds: [], rankBy: rates },
];

/** The title of a preset by a metric: where only prompts were read, no user got a token. */
export const titleBy = ({ id, title }: Preset, metric: MetricName | null): string =>
  metric === 'prefill_tok_s' && unbounded.some((one) => one.id === id) ? 'Fastest prompt processing' : title;

const bounded: readonly Preset[] = [
  {
    id: 'fluid',
    title: `Inter-token latency up to ${limits.itlFluid.text}`,
    why: limits.itlFluid.reason,
    bounds: [['max_itl_ms', String(limits.itlFluid.value)]],
    rankBy: boundedBy('itl_ms_mean'),
  },
  {
    id: 'readable',
    title: `Inter-token latency up to ${limits.itlSluggish.text}`,
    why: limits.itlSluggish.reason,
    bounds: [['max_itl_ms', String(limits.itlSluggish.value)]],
    rankBy: boundedBy('itl_ms_mean'),
  },
  {
    id: 'prompt',
    title: `First token within ${limits.ttft.text}`,
    why: limits.ttft.reason,
    bounds: [['max_ttft_ms', String(limits.ttft.value * 1000)]],
    rankBy: boundedBy('ttft_ms_mean'),
  },
];

const frugal: Preset = {
  id: 'frugal',
  title: 'Most tokens per joule',
  why: null,
  bounds: [],
  rankBy: ['tok_per_joule'],
};

/** The usual questions, including the latency limits of a public benchmark for the model, if it has any. */
export function presetsFor(modelId: string | null): Preset[] {
  const ofModel = sloPresets.filter(({ model }) => model === modelId);
  return [
    ...unbounded,
    ...bounded,
    ...ofModel.map(
      ({ id, scenario, p99TtftMs, p99TpotMs }): Preset => ({
        id,
        title: `MLPerf ${scenario}: p99 TTFT up to ${p99TtftMs} ms, p99 TPOT up to ${p99TpotMs} ms`,
        why: 'The limits of the public benchmark for this model. You choose the load.',
        bounds: [
          ['max_ttft_ms_p99', String(p99TtftMs)],
          ['max_tpot_ms_p99', String(p99TpotMs)],
        ],
        rankBy: boundedBy('ttft_ms_p99'),
      }),
    ),
    frugal,
  ];
}

const shown = 4;

const boardParameters = (subject: readonly Parameter[], bounds: readonly Parameter[], rankBy: string): Parameter[] => [
  ['rank_by', rankBy],
  ...subject,
  ...bounds,
];

async function firstBoard(
  api: Api,
  subject: readonly Parameter[],
  { bounds, rankBy }: Preset,
): Promise<{ board: Leaderboard; metric: Metric } | null> {
  for (const name of rankBy) {
    const { data } = await api.getLeaderboard({
      ...toQuery(boardParameters(subject, bounds, name)),
      limit: [String(shown)],
    });
    const metric = metricOf(name);
    if (data !== null && data.data.length > 0 && metric !== null) return { board: data, metric };
  }
  return null;
}

const boundOf = ([name, value]: Parameter) => {
  const [, side, metricName = ''] = /^(min|max)_(.+)$/.exec(name) ?? [];
  return { side, metric: metricOf(metricName), value: Number(value) };
};

/** The closest result if no system meets the bounds: among those that meet all other bounds, the best by the bound it breaks. */
async function nearestTo(api: Api, subject: readonly Parameter[], { bounds }: Preset): Promise<Answer['nearest']> {
  // If no system meets the other bounds either, search all systems.
  const attempts = [...bounds.map((bound) => ({ bound, others: bounds.filter((other) => other !== bound) }))];
  if (bounds.length > 1) attempts.push(...bounds.map((bound) => ({ bound, others: [] })));
  for (const { bound, others } of attempts) {
    const { side, metric, value } = boundOf(bound);
    if (metric === null) continue;
    const { data } = await api.getLeaderboard({
      ...toQuery([...subject, ...others]),
      ...{ rank_by: [metric.name], limit: ['1'] },
    });
    const found = data?.data[0]?.value;
    const [entry] = toEntryRows(data?.data ?? [], metric);
    const isBroken = found !== undefined && (side === 'min' ? found < value : found > value);
    // A system that meets this bound lacks another metric, so it is neither an answer nor close by this bound.
    if (entry === undefined || !isBroken) continue;
    const { unit } = metric.family;
    const limit = `${side === 'min' ? 'below' : 'above'} the required ${formatWithUnit(value, unit)}`;
    // Stream chunks can hold several tokens, so the text states what was measured.
    const made = definitionText(data?.data[0]?.definitions ?? {}, metric);
    const figure = `${metric.title} ${formatWithUnit(found, unit)}${made === null ? '' : ` (${made})`}`;
    return { text: `${figure}, ${limit}`, entry };
  }
  return null;
}

/** "at the board's rated power": without a meter, no power was measured. */
const powerText = ({ board, metric }: { board: Leaderboard; metric: Metric }) =>
  definitionText(board.data[0]?.definitions ?? {}, metric);

/** The best results under each of the usual bounds, among the results of `subject`. */
export async function readAnswers(
  api: Api,
  subject: readonly Parameter[],
  presets: readonly Preset[],
): Promise<Answer[]> {
  return Promise.all(
    presets.map(async (preset): Promise<Answer> => {
      const found = await firstBoard(api, subject, preset);
      const rows = found === null ? [] : toEntryRows(found.board.data, found.metric);
      const parameters = boardParameters(
        subject,
        preset.bounds,
        found?.metric.name ?? preset.rankBy[0] ?? 'decode_tok_s',
      );
      return {
        preset: { ...preset, title: titleBy(preset, found?.metric.name ?? null) },
        metric: found?.metric ?? null,
        made: found?.metric.name === 'tok_per_joule' ? powerText(found) : null,
        best: rows[0] ?? null,
        runnersUp: rows.slice(1),
        count: rows.length,
        hasMore: found?.board.next_cursor != null,
        nearest: found === null ? await nearestTo(api, subject, preset) : null,
        boardHref: boardHref(readBoardQuery(new URLSearchParams(parameters.map(([name, value]) => [name, value])))),
      };
    }),
  );
}

const scenarioMetrics: readonly MetricName[] = [
  'user_tok_s',
  'decode_tok_s',
  'prefill_tok_s',
  'output_tok_s',
  'ttft_ms_mean',
];

/** The scenarios by their number of systems, the greatest first. Those in which only prompts were read are last. */
export const scenarioOrder = (counts: ReadonlyMap<string, { systems: number; hasOutput: boolean }>): string[] =>
  [...counts]
    .toSorted(([, a], [, b]) => Number(b.hasOutput) - Number(a.hasOutput) || b.systems - a.systems)
    .map(([id]) => id);

/** The scenarios of a subject, the one with the most systems first. */
export async function readScenarios(api: Api, subject: readonly Parameter[]): Promise<string[]> {
  const answers = await Promise.all(
    scenarioMetrics.map((metric) =>
      api.getShortMatrix({ ...toQuery(subject), rows: ['scenario'], columns: ['system'], metric: [metric] }),
    ),
  );
  const counts = new Map<string, { systems: number; hasOutput: boolean }>();
  for (const [at, { data }] of answers.entries())
    for (const [row, { id }] of (data?.rows.headings ?? []).entries()) {
      const cells = (data?.cells[row] ?? []).filter((cell) => cell !== null).length;
      const known = counts.get(id) ?? { systems: 0, hasOutput: false };
      const hasOutput = known.hasOutput || (cells > 0 && scenarioMetrics[at] !== 'prefill_tok_s');
      counts.set(id, { systems: Math.max(known.systems, cells), hasOutput });
    }
  return scenarioOrder(counts);
}
