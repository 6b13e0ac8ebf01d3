import { formatWithUnit } from '@inferboard/core/format/figure';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Trust, trustLevels } from '@inferboard/core/subjects/result';
import { gpuTitle, modelTitle } from '@inferboard/core/subjects/system-label';
import { formatOrdinal } from '@inferboard/core/text/ordinal';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import { findWouldRanks, type WouldRank } from '@inferboard/db/boards/lists/would-rank-find';
import { findSubmissionBadge } from '@inferboard/db/catalogue/submission-badge-find';
import { type BestValue, findSystemBadge } from '@inferboard/db/catalogue/system-badge-find';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { workloadText } from '../../short/workload-text.ts';
import type { Badge } from './draw-badge.ts';

/** The default metric of badges. */
export const badgeMetricDefault = 'output_tok_s_per_gpu';

const trustWords: Record<Trust, { words: string; color: string }> = {
  managed: { words: 'managed run', color: '#2f7d32' },
  replicated: { words: 'replicated', color: '#2f7d32' },
  recomputed: { words: 'recomputed', color: '#0b6bb5' },
  imported: { words: 'published', color: '#0b6bb5' },
  self_reported: { words: 'self-reported', color: '#5f6368' },
};
const simulated = { message: 'simulated', color: '#5f6368' };
const provisional = { message: 'provisional', color: '#5f6368' };
const held = { message: 'quarantined', color: '#a65300' };
const gone = { message: 'retracted', color: '#b3261e' };

const countOf = (results: number) => `${results} ${results === 1 ? 'result' : 'results'}`;

/** The value by the formula that the leaderboards prefer. */
function preferred({ family }: Metric, best: readonly BestValue[]): BestValue | undefined {
  const first = family.definitions.find(({ id }) => best.some(({ definition }) => definition === id));
  const known = best.filter(({ definition }) =>
    family.definitions.some(({ id, group }) => id === definition && group === first?.group),
  );
  const turned = family.direction === 'lower' ? 1 : -1;
  return (first === undefined ? best : known).toSorted((a, b) => turned * (a.value - b.value))[0];
}

function tellValue({ name, family, title }: Metric, best: BestValue): Pick<Badge, 'message' | 'color'> {
  const { words, color } = trustWords[best.trust];
  const figure = formatWithUnit(best.value, family.unit);
  const named = name === badgeMetricDefault ? `${figure} per GPU` : `${title} ${figure}`;
  const where = workloadText(best.workload, { mode: best.load_mode, level: best.load_level });
  return { message: `${named} · ${where} · ${words}`, color };
}

function nameOf(row: SystemRow): string {
  const model = modelTitle({ id: row.model_id, name: row.model_name, family: row.model_family });
  const gpu = gpuTitle({ id: row.gpu_id, name: row.gpu_name, family: row.gpu_family });
  return `${model} on ${row.gpu_count !== null && row.gpu_count > 1 ? `${row.gpu_count}x ` : ''}${gpu}`;
}

/** The badge of a system: its best accepted value, or why there is none. Null if there is no such system. */
export async function badgeOfSystem(db: Queryable, id: string, metric: Metric): Promise<Badge | null> {
  const found = await findSystemBadge(db, id, metric);
  if (found === null) return null;
  const label = nameOf(found.system);
  const best = preferred(metric, found.best);
  if (best !== undefined) return { label, ...tellValue(metric, best) };
  const has = (status: (typeof found.statuses)[number]) => found.statuses.includes(status);
  if (!has('accepted') && has('quarantined')) return { label, ...held };
  if (!has('accepted') && has('retracted')) return { label, ...gone };
  return { label, message: `no ${metric.title}`, color: trustWords.self_reported.color };
}

/** The best rank that provisional results would have; of equal ranks, the one among the most systems. */
function describeRank(ranks: readonly WouldRank[]): string {
  const [best] = ranks.toSorted((a, b) => a.rank - b.rank || b.of - a.of);
  if (best === undefined) return provisional.message;
  return `${provisional.message} · would rank ${formatOrdinal(best.rank)} of ${best.of}`;
}

/** The badge of a submission: its status, or its best value. Null if there is no such submission. */
export async function badgeOfSubmission(db: Queryable, id: string, metric: Metric): Promise<Badge | null> {
  const found = await findSubmissionBadge(db, id, metric);
  if (found === null) return null;
  const label = found.tool;
  const total = found.counts.reduce((sum, { results }) => sum + results, 0);
  const heldBack = found.counts.reduce((sum, { status, results }) => sum + (status === 'quarantined' ? results : 0), 0);
  if (found.status === 'retracted') return { label, ...gone };
  if (heldBack > 0) {
    return {
      label,
      ...held,
      message: heldBack === total ? held.message : `${heldBack} of ${countOf(total)} quarantined`,
    };
  }
  if (found.status === 'simulated') return { label, ...simulated };
  if (found.status === 'provisional')
    return { label, ...provisional, message: describeRank(await findWouldRanks(db, id)) };
  const best = preferred(metric, found.best);
  if (best !== undefined) return { label, ...tellValue(metric, best) };
  const trust = trustLevels.findLast((level) => found.counts.some((count) => count.trust === level)) ?? 'self_reported';
  const { words, color } = trustWords[trust];
  return { label, message: `${countOf(total)} · ${words}`, color };
}
