import { formatLoad } from '@inferboard/core/subjects/load';
import type { RankChange, RankedFacts, ResultMove } from '@inferboard/db/re-derive/rank-changes';
import { layOut } from './columns-of-text.ts';

const figure = (value: number | null) => (value === null ? '-' : String(Number(value.toPrecision(6))));

function loadsOf(before: RankedFacts, after: RankedFacts): string {
  const [old, now] = [formatLoad(before.load), formatLoad(after.load)];
  return old === now ? `${now}, with other details` : `${old} → ${now}`;
}

/** Changes of a result that affect its rank by this metric. */
function changesOf({ before, after }: ResultMove, metric: string): string[] {
  if (before === null) return ['was submitted meanwhile'];
  const changes: string[] = [];
  const compare = (what: string, old: unknown, now: unknown) => {
    if (old !== now) changes.push(`${what} ${old ?? '-'} → ${now ?? '-'}`);
  };
  if (after.copy_of !== null && before.copy_of !== after.copy_of) changes.push(`is now a copy of ${after.copy_of}`);
  if (after.copy_of === null && before.copy_of !== null) changes.push(`is no longer a copy of ${before.copy_of}`);
  compare('system', before.system, after.system);
  compare('workload', before.workload, after.workload);
  if (before.load.key !== after.load.key) changes.push(`load ${loadsOf(before, after)}`);
  compare('status', before.status, after.status);
  compare('trust', before.trust, after.trust);
  if (before.value !== after.value) changes.push(`${metric} ${figure(before.value)} → ${figure(after.value)}`);
  compare(`formula of ${metric}`, before.definition, after.definition);
  if (JSON.stringify(before.repeats) !== JSON.stringify(after.repeats))
    changes.push('repetitions are read differently');
  return changes;
}

/** Explains a system's rank change by the results that changed. */
function reasonOf({ results, results_count, metric, is_own }: RankChange): string {
  const texts = results.map((move) => `${move.id}: ${changesOf(move, metric).join(', ')}`);
  const more = results_count - results.length;
  if (more > 0) texts.push(`${more} more results changed`);
  if (texts.length > 0) return texts.join('; ');
  return is_own ? 'statistics of the point were recomputed' : 'figures of other systems changed';
}

function rankOf({ rank_before: before, rank_after: after }: RankChange): string {
  if (before === null) return `enters at ${after}`;
  return after === null ? `leaves, was ${before}` : `${before} → ${after}`;
}

/** A printable table of the changed ranks. */
export function rankChangesText(changes: readonly RankChange[]): string {
  const rows = changes.map((change) => [
    change.workload,
    change.definition === '' ? change.metric : `${change.metric} (${change.definition})`,
    change.system,
    rankOf(change),
    `${figure(change.value_before)} → ${figure(change.value_after)}`,
    reasonOf(change),
  ]);
  return layOut([['workload', 'metric', 'system', 'rank', 'value', 'why'], ...rows], new Set());
}
