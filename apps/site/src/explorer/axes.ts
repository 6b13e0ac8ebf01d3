import { axisOfTask, taskOfAxis } from '@inferboard/core/filters/quality';
import type { Parameter } from '../features/board/data/board-query.ts';
import { rankedMetric } from '../features/board/data/ranked-metric.ts';
import type { Api } from '../lib/api.ts';
import { toQuery } from '../lib/parameters.ts';

/** A metric that an axis can show. */
export interface AxisChoice {
  name: string;
  title: string;
  unit: string;
  better: 'lower' | 'higher';
}

const metricNames = [
  ...['output_tok_s_per_gpu', 'user_tok_s', 'output_tok_s', 'req_s'],
  ...['ttft_ms_mean', 'ttft_ms_p50', 'ttft_ms_p95', 'ttft_ms_p99'],
  ...['itl_ms_mean', 'itl_ms_p50', 'itl_ms_p95', 'itl_ms_p99', 'tpot_ms_mean'],
  ...['e2e_ms_mean', 'e2e_ms_p50', 'e2e_ms_p95', 'e2e_ms_p99', 'tok_per_joule', 'usd_per_mtok_output'],
];

const ofMetric = (name: string): AxisChoice[] => {
  const metric = rankedMetric(name);
  if (metric === null) return [];
  const { title, family } = metric;
  return [{ name, title, unit: family.unit, better: family.direction === 'lower' ? 'lower' : 'higher' }];
};

/** Metrics that the axes offer, the most used first. */
export const axisChoices: readonly AxisChoice[] = metricNames.flatMap(ofMetric);

/** Axes for the curve of a system over its loads, in order of preference. */
export const curveAxes: readonly (readonly [x: string, y: string])[] = [
  ['user_tok_s', 'output_tok_s_per_gpu'],
  ['user_tok_s', 'output_tok_s'],
  ['itl_ms_mean', 'output_tok_s'],
  ['user_tok_s', 'ttft_ms_mean'],
  ['itl_ms_mean', 'ttft_ms_mean'],
];

/** The axis of the scores of a task. */
const ofTask = (task: string): AxisChoice => ({
  name: axisOfTask(task),
  title: `${task} score`,
  unit: '',
  better: 'higher',
});

/** The axis of a metric or task, including those that the form does not offer. Null for an unknown name. */
export function axisOf(name: string): AxisChoice | null {
  const task = taskOfAxis(name);
  if (task !== null) return ofTask(task);
  return axisChoices.find((choice) => choice.name === name) ?? ofMetric(name)[0] ?? null;
}

/** Maximum number of tasks that the form offers. */
const tasksMax = 8;
const ofModel: ReadonlySet<string> = new Set(['model', 'model_family', 'quantization']);

/** The axes of scores that models under the filters have, those of the most evaluations first. */
export async function readScoreAxes(api: Api, filters: readonly Parameter[]): Promise<AxisChoice[]> {
  const named = filters.filter(([name]) => ofModel.has(name));
  const { data } = await api.listQuality(toQuery([...named, ['limit', '200']]));
  const scores = data?.data.filter(({ measure }) => measure === 'score') ?? [];
  return [...Map.groupBy(scores, ({ task }) => task)]
    .toSorted(([a, of], [b, other]) => other.length - of.length || (a < b ? -1 : 1))
    .slice(0, tasksMax)
    .map(([task]) => ofTask(task));
}
