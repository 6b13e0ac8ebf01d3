import { findNamedScenario } from '@inferboard/core/catalogue/scenario-names';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SeriesMark, seriesMark } from '../../../charts/palette.ts';
import { formatCount } from '../../../lib/format.ts';
import type { PlaceOf } from './report-charts.ts';
import {
  figuresOf,
  figureText,
  type Report,
  type ReportFigure,
  type ReportScenario,
  type ReportSeries,
  scenarioKey,
  sourceOf,
} from './report-figures.ts';
import { boundWords, limitText, queueText } from './report-headline.ts';

/** The values of a scenario's card, at its lowest and its highest load. */
export interface CardRow {
  label: string;
  ends: { value: string; load: string; href: string | null }[];
}

export interface ScenarioCard {
  mark: SeriesMark;
  title: string;
  /** "1,024 in, 256 out". */
  tokens: string | null;
  description: string | null;
  rows: CardRow[];
}

/** "1,024 in, 256 out, sharegpt". */
function tokensText({ input_tokens, output_tokens, dataset, depth, id }: ReportScenario): string | null {
  const parts = [
    input_tokens === null ? null : `${formatCount(input_tokens)} in`,
    output_tokens === null ? null : `${formatCount(output_tokens)} out`,
    depth === null ? null : `after ${formatCount(depth)} in the cache`,
    dataset === null || dataset === id ? null : dataset,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

const endOf = (figure: ReportFigure) => ({
  value: figureText(figure),
  load: formatLoad(figure.load),
  href: sourceOf(figure),
});

/** Values from the first list that has the scenario. */
function rowOf(
  label: string,
  lists: readonly (readonly ReportSeries[] | undefined)[],
  scenario: ReportScenario,
): CardRow[] {
  const own = lists
    .flatMap((series) => series ?? [])
    .find((each) => scenarioKey(each.scenario) === scenarioKey(scenario));
  const figures = own === undefined ? [] : figuresOf(own);
  const [first] = figures;
  const last = figures.at(-1);
  if (first === undefined || last === undefined) return [];
  return [{ label, ends: first === last ? [endOf(first)] : [endOf(first), endOf(last)] }];
}

function rowsOf({ peak, burst, batch, ttft_limit_s }: Report, scenario: ReportScenario): CardRow[] {
  const queue = burst?.max_safe_queue.find(
    (each) => each !== null && scenarioKey(each.scenario) === scenarioKey(scenario),
  );
  return [
    // A closed loop describes single users best; a burst is the fallback.
    ...rowOf('Speed', [peak?.user_tok_s, burst?.user_tok_s], scenario),
    ...rowOf('TTFT', [peak?.ttft_ms, burst?.ttft_ms], scenario),
    ...rowOf('ITL', [peak?.itl_ms, burst?.itl_ms], scenario),
    ...(queue
      ? [
          {
            label: 'Safe queue',
            ends: [
              {
                value: queueText(queue),
                load: `TTFT up to ${limitText(ttft_limit_s)}, ${boundWords(queue)}`,
                href: '#safe-queue',
              },
            ],
          },
        ]
      : []),
    ...rowOf('Decode', [batch?.decode_tok_s], scenario),
    ...rowOf('Prefill', [batch?.prefill_tok_s], scenario),
  ];
}

/** A card for each scenario of the report, with its marker from the charts. */
export function toScenarioCards(
  report: Report,
  scenarios: readonly ReportScenario[],
  placeOf: PlaceOf,
): ScenarioCard[] {
  return scenarios.map((scenario) => ({
    mark: seriesMark(placeOf(scenario)),
    title: scenario.title,
    tokens: tokensText(scenario),
    description: findNamedScenario(scenario.id)?.description ?? null,
    rows: rowsOf(report, scenario),
  }));
}
