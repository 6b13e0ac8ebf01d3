import type { Fault } from '../../errors.ts';
import { findMetric } from '../../metrics/index.ts';
import type { EnergyUnit } from '../energy.ts';
import { defaultRank, type Order, type RankName } from '../question.ts';
import type { Chunk } from '../readers/chunks.ts';
import { metricWords, type NamedMetric } from '../readers/metric-phrases.ts';
import type { Superlative } from '../words/common-words.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

/** The ranking of a question, and its words; empty if only the default remains. */
export interface Rank {
  name: RankName;
  order: Order;
  energyUnit: EnergyUnit | null;
  start: number;
  end: number;
}

export interface Ranks {
  rank: Rank | null;
  /** "best" without a metric, if no other words rank. */
  generic: Chunk | null;
  /** Metrics used by a rank. */
  used: ReadonlySet<Chunk>;
  faults: Fault[];
}

/** The better end of a metric. Counts and durations have none and rank from the greatest. */
const betterOrder = ({ name, metric }: NamedMetric): Order => {
  const direction = (metric ?? findMetric(name))?.family.direction ?? 'lower';
  return direction === 'lower' ? 'asc' : 'desc';
};

const isSpeed = ({ metric }: NamedMetric) => /^(?:ms|s|.+\/s)$/u.test(metric?.family.unit ?? '');

function orderOf(superlative: Superlative, named: NamedMetric): Order | null {
  if (superlative === 'high') return named.isInverse ? 'asc' : 'desc';
  if (superlative === 'low') return named.isInverse ? 'desc' : 'asc';
  if (superlative === 'best') return betterOrder(named);
  if (superlative === 'fast' || superlative === 'slow') {
    if (!isSpeed(named)) return null;
    const better = betterOrder(named);
    return superlative === 'fast' ? better : better === 'asc' ? 'desc' : 'asc';
  }
  return null;
}

/** What a superlative alone ranks by; null if it needs a metric. */
function ownRank(superlative: Superlative): { name: RankName; order: Order } | null {
  if (typeof superlative === 'object') return superlative;
  if (superlative === 'fast') return { name: 'user_tok_s', order: 'desc' };
  return superlative === 'slow' ? { name: 'user_tok_s', order: 'asc' } : null;
}

/** `content`: the meaningful chunks, in order. Rank phrases use the metric directly after them. */
export function readRanks(words: Words, content: readonly Chunk[]): Ranks {
  const ranks: Rank[] = [];
  const generics: Chunk[] = [];
  const used = new Set<Chunk>();
  const faults: Fault[] = [];
  for (const [at, chunk] of content.entries()) {
    const next = content[at + 1];
    const named = next?.kind === 'metric' && !used.has(next) ? next.named : null;
    const take = (order: Order) => {
      if (next === undefined || named === null) return;
      used.add(next);
      const energyUnit = named.energyUnit ?? null;
      ranks.push({ name: named.name, order, energyUnit, start: chunk.start, end: next.end });
    };
    if (chunk.kind === 'ranker') {
      // "for ttft under 500 ms" is a limit, "for throughput" a rank.
      if (named !== null && content[at + 2]?.kind !== 'comparison') take(betterOrder(named));
    } else if (chunk.kind === 'superlative') {
      const order = named === null ? null : orderOf(chunk.value, named);
      const own = ownRank(chunk.value);
      if (order !== null) take(order);
      else if (own !== null) ranks.push({ ...own, energyUnit: null, start: chunk.start, end: chunk.end });
      else if (chunk.value === 'best') generics.push(chunk);
      else {
        const hint = `Specify the metric, such as "${chunk.value === 'low' ? 'lowest p99 ttft' : 'highest throughput'}".`;
        faults.push(
          faultOf('rank_without_metric', written(words, chunk.start, chunk.end), 'has no metric to rank by.', hint),
        );
      }
    }
  }
  const [rank, ...others] = ranks;
  for (const other of others.filter(({ name, order }) => name !== rank?.name || order !== rank.order)) {
    const first = rank === undefined ? '' : `"${written(words, rank.start, rank.end)}"`;
    const phrase = written(words, other.start, other.end);
    faults.push(
      faultOf(
        'rank_twice',
        phrase,
        `is a second order in addition to ${first}.`,
        'Use one order, and limit the other metric.',
      ),
    );
  }
  return { rank: rank ?? null, generic: rank === undefined ? (generics[0] ?? null) : null, used, faults };
}

/**
 * What "fastest" ranks by: the speed per user or, for an offline load, where no user waits for tokens, the throughput per
 * GPU.
 */
export function ofLoad(
  rank: Rank | null,
  used: ReadonlySet<Chunk>,
  regimes: readonly (string | number)[],
): Rank | null {
  const isOffline = regimes.length > 0 && regimes.every((regime) => regime === 'offline');
  if (rank === null || rank.name !== 'user_tok_s' || used.size > 0 || !isOffline) return rank;
  return { ...rank, name: defaultRank };
}

/**
 * A question with one metric and no order, such as "tokens per joule on h100", ranks by that metric, best first. The metric may
 * have two names: "power efficiency (tokens per joule)".
 */
export function withNamedMetric(ranks: Ranks, content: readonly Chunk[], limited: ReadonlySet<Chunk>): Ranks {
  if (ranks.faults.length > 0) return ranks;
  const free = content.filter((chunk) => chunk.kind === 'metric' && !ranks.used.has(chunk) && !limited.has(chunk));
  // "most efficient gpu, tokens per watt" names the metric of "most efficient".
  const again = free.filter((chunk) => chunk.kind === 'metric' && chunk.named.name === ranks.rank?.name);
  if (ranks.rank !== null) return { ...ranks, used: new Set([...ranks.used, ...again]) };
  const [named] = free;
  if (named?.kind !== 'metric' || free.some((chunk) => chunk.kind === 'metric' && !isSame(chunk.named, named.named)))
    return ranks;
  const { name, energyUnit = null } = named.named;
  const rank = { name, order: betterOrder(named.named), energyUnit, start: named.start, end: named.end };
  return { ...ranks, rank, used: new Set([...ranks.used, ...free]) };
}

const isSame = (one: NamedMetric, other: NamedMetric): boolean =>
  one.name === other.name && (one.isInverse ?? false) === (other.isInverse ?? false);

/** Questions about serving name a batch size as a load. */
const isTraining = ({ name }: NamedMetric) => name === 'batch_size';

/** Faults for named metrics that neither rank nor have a limit. */
export function unusedMetricFaults(words: Words, content: readonly Chunk[], used: ReadonlySet<Chunk>): Fault[] {
  return content.flatMap((chunk) => {
    if (chunk.kind !== 'metric' || used.has(chunk)) return [];
    const name = metricWords(chunk.named.name);
    const order = betterOrder(chunk.named) === 'asc' ? 'lowest' : 'highest';
    return [
      faultOf(
        'metric_without_role',
        written(words, chunk.start, chunk.end),
        'has neither an order nor a limit.',
        isTraining(chunk.named)
          ? 'Ask for the "best batch size", or give one, such as "batch size 8".'
          : `Use "${order} ${name}", or add a limit.`,
      ),
    ];
  });
}

export const defaultRanking = { name: defaultRank, order: 'desc' } as const satisfies { name: RankName; order: Order };
