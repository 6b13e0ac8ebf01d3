import { formatLoad } from '@inferboard/core/subjects/load';
import type { BoardData, BoardView } from '../features/board/data/board-view.ts';
import { toVerdict } from '../features/submission/data/submission-verdict.ts';
import type { Point, Submission, SystemDetail } from '../lib/api.ts';
import { formatCount, formatFigure, formatPlural, withUnit } from '../lib/format.ts';
import { metricOf } from '../lib/metric-text.ts';
import { hardwareText, quantizationText, scenarioText, systemTitle, trustWords } from '../lib/words.ts';
import type { Card } from './card.ts';

/** Metrics for a system's image; the first one that it has is used. */
const shown = [
  'output_tok_s_per_gpu',
  'decode_tok_s',
  'user_tok_s',
  'output_tok_s',
  'itl_ms_mean',
  'forward_ms',
] as const;

const joined = (parts: readonly (string | null)[]) => parts.filter((part) => part !== null && part !== '').join(' · ');
const nText = (n: number | null) => (n === null ? 'n not stated' : `n ${formatCount(n)}`);

function bestPoint(points: readonly Point[], name: string, isLower: boolean): Point | undefined {
  const measured = points.filter(({ statistics }) => statistics[name] !== undefined && statistics[name] !== null);
  const meanOf = ({ statistics }: Point) => statistics[name]?.mean ?? 0;
  return measured.toSorted((a, b) => (isLower ? meanOf(a) - meanOf(b) : meanOf(b) - meanOf(a)))[0];
}

export function systemCard(system: SystemDetail): Card {
  const accepted = system.points.filter(({ status }) => status === 'accepted');
  const base = {
    kicker: 'System',
    title: joined([systemTitle(system), quantizationText(system)]),
    subtitle: hardwareText(system),
  };
  for (const name of shown) {
    const metric = metricOf(name);
    if (metric === null) continue;
    const point = bestPoint(accepted, name, metric.family.direction === 'lower');
    const statistics = point?.statistics[name];
    if (point === undefined || statistics === undefined || statistics === null) continue;
    const { unit } = metric.family;
    const figure = formatFigure(statistics.mean, unit, statistics);
    return {
      ...base,
      figure: {
        value: figure?.number ?? '',
        unit: `${figure?.unit ?? unit} ${metric.title}`.trim(),
        note: joined([scenarioText(point.scenario).title, formatLoad(point.load), nText(statistics.n)]),
      },
      facts: joined([formatPlural(accepted.length, 'measured point'), trustWords[point.trust].label]),
    };
  }
  const facts = accepted.length === 0 ? 'No ranked results' : formatPlural(accepted.length, 'measured point');
  return { ...base, figure: null, facts };
}

export function submissionCard(submission: Submission): Card {
  const { results, tool, account, artifact } = submission;
  const labels = new Set(results.map(({ system }) => system.label));
  const [only] = labels.size === 1 ? labels : [];
  const verdict = toVerdict(submission);
  return {
    kicker: 'Submission',
    title: only ?? formatPlural(labels.size, 'system'),
    subtitle: joined([tool.name, tool.version, `by ${account.name}`]),
    figure: {
      value: formatCount(results.length),
      unit: results.length === 1 ? 'result' : 'results',
      note: `${verdict.title}: ${verdict.text}`,
    },
    facts: `Artifact sha256 ${artifact.sha256.slice(0, 16)}…, stored as submitted`,
  };
}

/** The image of a board, with its first place. */
export function boardCard(title: string, view: BoardView | null, data: BoardData | null): Card {
  const best = data?.entries[0];
  const row = best === undefined ? undefined : view?.rows[view.entries.indexOf(best)];
  if (view === null || best === undefined || row === undefined) {
    return {
      kicker: 'Leaderboard',
      title,
      subtitle: 'Measured LLM inference, ranked',
      figure: null,
      facts: 'Every number links to the data it came from',
    };
  }
  const { unit } = view.metric.family;
  const isUsd = unit === '$';
  const interval = row.figure.interval === null ? null : `95 % ${row.figure.interval}`;
  return {
    kicker: 'Leaderboard',
    title,
    subtitle: joined([row.name.title, row.name.tag, row.name.rest]),
    figure: {
      ...(isUsd
        ? { value: withUnit(row.figure.value, unit), unit: view.metric.title }
        : { value: row.figure.value, unit: `${unit} ${view.metric.title}`.trim() }),
      note: joined([row.isTied ? `places ${row.rank}, tied` : 'first place', row.scenario.title, row.load]),
    },
    facts: joined([
      interval,
      nText(best.statistics.n),
      row.trust.label,
      `${formatPlural(data?.entries.length ?? 0, 'row')} ranked`,
    ]),
  };
}
