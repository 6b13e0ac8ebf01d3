import type { Api, Trend } from '../../../lib/api.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';

/** API parameters of a trend. */
export interface TrendQuestion {
  /** What each line is of. */
  by: 'gpu' | 'model';
  /** Metrics in order of preference: the first one with a trend is shown. */
  metrics: readonly string[];
  filters: readonly Parameter[];
}

export interface TrendReading {
  trend: Trend;
  by: TrendQuestion['by'];
  /** The API's parameters. */
  asked: readonly Parameter[];
}

/** Different days of one series from which it is a trend. */
const daysMin = 3;

/** The metric of a trend, if the reader chose none. */
export const trendMetric = 'output_tok_s_per_gpu';

const isTrend = ({ data }: Trend) => data.some(({ values }) => values.length >= daysMin);

export const trendApiPath = ({ asked }: Pick<TrendReading, 'asked'>): string => toPath('/v1/trends', asked);
export const trendCsvPath = ({ asked }: Pick<TrendReading, 'asked'>): string => toPath('/trends.csv', asked);

/** Reads a trend; null if no series has three days by any of the metrics, or if the API refuses. */
export async function readTrend(api: Api, { by, metrics, filters }: TrendQuestion): Promise<TrendReading | null> {
  for (const metric of new Set(metrics)) {
    const asked: Parameter[] = [['by', by], ['metric', metric], ...filters];
    const { data } = await api.getTrend(toQuery(asked));
    if (data !== null && isTrend(data)) return { trend: data, by, asked };
  }
  return null;
}
