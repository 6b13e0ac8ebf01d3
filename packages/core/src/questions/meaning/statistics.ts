import type { Fault } from '../../errors.ts';
import type { Chunk } from '../readers/chunks.ts';
import { withStatistic } from '../readers/metric-phrases.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

/** "ttft under 2 s at p99", "p99 under 2 s ttft": merges a percentile into the metric on the other side of a limit. */
export function joinStatistics(words: Words, content: readonly Chunk[]): { content: Chunk[]; faults: Fault[] } {
  const joined = [...content];
  const faults: Fault[] = [];
  for (const [at, chunk] of content.entries()) {
    if (chunk.kind !== 'statistic') continue;
    const place = [-1, 1]
      .filter((step) => content[at + step]?.kind === 'comparison')
      .map((step) => at + 2 * step)
      .find((other) => content[other]?.kind === 'metric');
    const metric = place === undefined ? undefined : content[place];
    const named = metric?.kind === 'metric' ? withStatistic(metric.named, chunk.statistic) : null;
    if (place === undefined || metric?.kind !== 'metric' || named === null) {
      const hint = 'Write it next to its metric, such as "p99 ttft".';
      faults.push(faultOf('statistic_alone', written(words, chunk.start, chunk.end), 'is not next to a metric.', hint));
    } else {
      const middle = (place + at) / 2;
      const limit = content[middle];
      joined[place] = { ...metric, named };
      if (limit?.kind === 'comparison')
        joined[middle] = { ...limit, start: Math.min(limit.start, chunk.start), end: Math.max(limit.end, chunk.end) };
    }
  }
  return { content: joined.filter(({ kind }) => kind !== 'statistic'), faults };
}
