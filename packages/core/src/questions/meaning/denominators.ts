import type { RankName } from '../question.ts';
import type { Chunk } from '../readers/chunks.ts';
import type { Denominator } from '../readers/denominators.ts';
import { metricNamed, type NamedMetric } from '../readers/metric-phrases.ts';

/** Metrics before "per gpu", "per user" or "per million tokens", with the metric that both name. */
const joined: Readonly<Record<Denominator, Partial<Record<RankName, RankName>>>> = {
  gpu: { output_tok_s: 'output_tok_s_per_gpu', output_tok_s_per_gpu: 'output_tok_s_per_gpu' },
  user: { output_tok_s: 'user_tok_s', user_tok_s: 'user_tok_s' },
  mtok: { usd_per_mtok_output: 'usd_per_mtok_output' },
};

/** The metric of "throughput" or "tokens per second" with a denominator; null if they have none. */
function join(chunk: Chunk | undefined, of: Denominator): NamedMetric | null {
  if (chunk?.kind === 'metric') {
    const name = joined[of][chunk.named.name];
    if (name === chunk.named.name) return chunk.named;
    return name === undefined ? null : metricNamed(name, chunk.named.length);
  }
  const name = chunk?.kind === 'cue' && chunk.cue === 'speed' ? joined[of].output_tok_s : undefined;
  return chunk === undefined || name === undefined ? null : metricNamed(name, chunk.end - chunk.start);
}

/**
 * Joins a denominator to the metric before it: "throughput of deepseek r1 per gpu". A denominator without such a metric is not
 * understood.
 */
export function joinDenominators(chunks: readonly Chunk[]): Chunk[] {
  const all = [...chunks];
  for (const [at, chunk] of all.entries()) {
    if (chunk.kind !== 'denominator') continue;
    const place = all
      .slice(0, at)
      .findLastIndex((one) => one.kind === 'metric' || (one.kind === 'cue' && one.cue === 'speed'));
    const metric = all[place];
    const named = join(metric, chunk.of);
    if (metric === undefined || named === null) all[at] = { kind: 'unknown', start: chunk.start, end: chunk.end };
    else {
      all[place] = { kind: 'metric', named, start: metric.start, end: metric.end };
      all[at] = { ...chunk, named };
    }
  }
  return all;
}
