import { findMetric } from '@inferboard/core/metrics/index';

/** A figure that an axis can show. */
export interface AxisChoice {
  name: string;
  title: string;
  unit: string;
  better: 'lower' | 'higher';
}

const metricNames = [
  ...['output_tok_s_per_gpu', 'user_tok_s', 'output_tok_s', 'req_s', 'ttft_ms_mean', 'ttft_ms_p50', 'ttft_ms_p99'],
  ...['itl_ms_mean', 'itl_ms_p99', 'tpot_ms_mean', 'e2e_ms_mean', 'tok_per_joule'],
];

const ofMetric = (name: string): AxisChoice[] => {
  const metric = findMetric(name);
  if (metric === null || metric === undefined) return [];
  const { title, family } = metric;
  return [{ name, title, unit: family.unit, better: family.direction === 'lower' ? 'lower' : 'higher' }];
};

/** Figures that axes offer, those that are asked for most first. */
export const axisChoices: readonly AxisChoice[] = [
  ...metricNames.flatMap(ofMetric),
  { name: 'usd_per_mtok_output', title: 'Cost of output', unit: 'USD/Mtok', better: 'lower' },
];

/** The axis of a metric; of one that is not offered too, as an address may name it. Null of an unknown name. */
export const axisOf = (name: string): AxisChoice | null =>
  axisChoices.find((choice) => choice.name === name) ?? ofMetric(name)[0] ?? null;
