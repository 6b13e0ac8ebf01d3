import { formatDigits } from '@inferboard/core/format/figure';
import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { engineTitle } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import { listPointFacts, type PointFacts } from '@inferboard/db/boards/lists/point-facts';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import type { Deps } from '../deps.ts';
import { instant, viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';
import { type ChangePlace, type ChangesQuestion, type FoundChange, findChanges } from './find-changes.ts';

const words = {
  regression: 'Regression',
  improvement: 'Improvement',
  stable: 'No change',
  insufficient_data: 'No verdict',
} as const;

/** "0.10.2", "that of 2026-04-17": a version that is compared. Sources without versions have dates. */
const versionText = (version: string | null): string => version?.replace(/^as of /u, 'that of ') ?? 'no stated version';

/** The two sides of a comparison in words: "vLLM 0.11.0 vs 0.10.2". */
function describeSides({ type }: FoundChange, fresh: SystemRow, before: SystemRow): string {
  const titleOf = (row: SystemRow) =>
    engineTitle({ id: row.engine_id, name: row.engine_name, version: row.engine_version });
  if (type === 'version') return `${titleOf(fresh)} compared with ${versionText(before.engine_version)}`;
  return type === 'day'
    ? 'the latest day compared with all earlier days'
    : `compared with ${before.label}, which was first`;
}

/** Two values with four digits, or with six if they would look equal. */
function toTexts(before: number, fresh: number): [string, string] {
  const written = (digits: number): [string, string] => [formatDigits(before, digits), formatDigits(fresh, digits)];
  const [old, now] = written(4);
  return old === now && before !== fresh ? written(6) : [old, now];
}

/** A change as a title and a sentence, for feeds and lists. */
function textsOf(change: FoundChange, { family, title }: Metric, fresh: PointFacts, before: PointFacts) {
  const { verdict, ratio, interval } = change;
  const [old, now] = toTexts(change.before.mean, change.fresh.mean);
  const unit = family.unit === '' ? '' : ` ${family.unit}`;
  const moved =
    ratio === null || ratio === 1
      ? `${title}: ${old} and ${now}${unit}`
      : `${title} ${ratio > 1 ? 'rose' : 'fell'} by ${formatDigits(Math.abs(ratio - 1) * 100, 2)} % from ${old} to ${now}${unit}`;
  const range =
    interval === null ? '' : `; 95 % interval of the ratio ${interval.map((end) => formatDigits(end, 4)).join(' to ')}`;
  const what = change.type === 'new_best' ? 'New best' : words[verdict];
  const load = formatLoad({ mode: fresh.load.load_mode, level: fresh.load.load_level });
  const [earlier, later] = [change.before.n, change.fresh.n];
  const counts =
    earlier === null && later === null ? 'n not stated' : `n = ${earlier ?? 'not stated'} and ${later ?? 'not stated'}`;
  return {
    title: `${what}: ${fresh.system.label}, ${shapeTitle(fresh.scenario.name)}, ${load}`,
    summary: `${moved} (${counts}${range}), ${describeSides(change, fresh.system, before.system)}.${change.reason === null ? '' : ` ${change.reason}`}`,
  };
}

function viewSide({ n, mean, sd, ci95, results, measuredAt, createdAt }: FoundChange['fresh'], { system }: PointFacts) {
  return {
    system_id: system.id,
    engine_version: system.engine_version,
    n,
    mean,
    sd,
    ci95,
    results,
    measured_at: measuredAt && instant(measuredAt[1]),
    created_at: instant(createdAt[1]),
  };
}

function viewChange(change: FoundChange, metric: Metric, facts: Map<number, PointFacts>, base: string) {
  const [fresh, before] = [facts.get(change.fresh.pointId), facts.get(change.before.pointId)];
  if (fresh === undefined || before === undefined) return [];
  const system = viewSystem(fresh.system, base);
  const { type, verdict, effect, ratio, interval, reason, resultId } = change;
  const history = new URLSearchParams({ system: system.id, metric: metric.name, scenario: fresh.scenario.name });
  const compared = new URLSearchParams([
    ['system', before.system.id],
    ['system', system.id],
  ]);
  return [
    {
      id: `${resultId}-${type}-${metric.name}`,
      type,
      verdict,
      effect,
      ratio,
      interval,
      reason,
      ...textsOf(change, metric, fresh, before),
      metric: metric.name,
      unit: metric.family.unit,
      better: metric.family.direction,
      definition: change.fresh.definition,
      at: instant(change.at),
      kind: fresh.load.kind,
      system,
      scenario: viewScenario(fresh.scenario),
      workload: viewWorkload(fresh.load, fresh.scenario),
      load: viewLoad(fresh.load),
      new: viewSide(change.fresh, fresh),
      old: viewSide(change.before, before),
      links: {
        system: system.links.self,
        page: system.links.page,
        history: `${base}/v1/history?${history}`,
        compare: before.system.id === system.id ? null : `${base}/v1/compare?${compared}`,
      },
    },
  ];
}

export type ViewedChange = ReturnType<typeof viewChange>[number];

/** A page of changes and the start of the next page. */
export async function readChanges(
  deps: Deps,
  question: ChangesQuestion,
): Promise<{ data: ViewedChange[]; next: ChangePlace | null }> {
  const { db } = deps.database.reads;
  const { changes, next } = await findChanges(db, question);
  const ids = new Set(changes.flatMap(({ fresh, before }) => [fresh.pointId, before.pointId]));
  const facts = await listPointFacts(db, [...ids]);
  return { data: changes.flatMap((change) => viewChange(change, question.metric, facts, deps.publicUrl)), next };
}
