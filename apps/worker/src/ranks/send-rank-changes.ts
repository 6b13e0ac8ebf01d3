import { findMetric } from '@inferboard/core/metrics/index';
import { signOf } from '@inferboard/core/ranking/walked';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import {
  type FirstPlace,
  type FirstPlaceChange,
  forgetFirstPlaces,
  noteFirstPlaces,
} from '@inferboard/db/boards/first-places';
import { transact } from '@inferboard/db/connection/transaction';
import { listSubscribers, queueMessages } from '@inferboard/db/runs/webhook-delivery';
import { readDataVersions } from '@inferboard/db/service/data-version-read';
import type { WorkerDeps } from '../deps.ts';

type Subscriber = Awaited<ReturnType<typeof listSubscribers>>[number];

/** Maximum changes per message. The message contains their total number. */
const listedMax = 100;

/** Whether a change concerns a webhook: its account gained or lost the first place, or it names the workload. */
function concerns({ workload, first, before }: FirstPlaceChange, { accountId, workloads }: Subscriber): boolean {
  if (first.accountId === accountId || before.accountId === accountId) return true;
  return workloads.includes(workload) || workloads.includes(parseWorkload(workload).shape);
}

/** A change as the message has it. */
function viewChange(
  { workload, metric, definition, first, before }: FirstPlaceChange,
  accountId: string,
  base: string,
) {
  const found = findMetric(metric);
  if (found === null) throw new Error(`the metric ${metric} is not in the registry`);
  const view = ({ systemId, label, accountId: of, worth }: FirstPlace) => ({
    system_id: systemId,
    label,
    value: worth * signOf(found),
    yours: of === accountId,
    links: { system: `${base}/v1/systems/${systemId}`, page: `${base}/systems/${systemId}` },
  });
  const query = new URLSearchParams({ workload, rank_by: metric, ...(definition !== '' && { definition }) });
  return {
    workload,
    rank_by: metric,
    definition: definition === '' ? null : definition,
    unit: found.family.unit,
    first: view(first),
    before: view(before),
    links: { leaderboard: `${base}/v1/leaderboard?${query}` },
  };
}

/**
 * Queues one message to each subscribed webhook that changes of first places concern. The first places are stored in the same
 * transaction, so that each change is reported once. Returns false if another worker is doing so.
 */
async function sendChanges({ database, publicUrl }: WorkerDeps): Promise<boolean> {
  return transact(database.db, async (tx) => {
    const changes = await noteFirstPlaces(tx);
    if (changes === null) return false;
    const timestamp = new Date().toISOString();
    const subscribers = changes.length === 0 ? [] : await listSubscribers(tx, 'rank.changed');
    const messages = subscribers.flatMap((webhook) => {
      const concerning = changes.filter((change) => concerns(change, webhook));
      if (concerning.length === 0) return [];
      const listed = concerning.slice(0, listedMax).map((change) => viewChange(change, webhook.accountId, publicUrl));
      const data = { changes: listed, changes_total: concerning.length };
      return [{ webhookId: webhook.id, body: { type: 'rank.changed' as const, timestamp, data } }];
    });
    await queueMessages(tx, messages);
    return true;
  });
}

/**
 * Reports changes of first places to their subscribers, if results or subscriptions changed since the last call. The first call
 * after the first subscription stores the first places and reports nothing.
 *
 * @param last what the last call returned; null at first
 */
export async function sendRankChanges(deps: WorkerDeps, last: string | null): Promise<string | null> {
  const { db, sql } = deps.database;
  // Read first: a later change of results is seen by the next call.
  const { results } = await readDataVersions(sql);
  const isWanted = (await listSubscribers(db, 'rank.changed')).length > 0;
  const now = isWanted ? results : 'no subscribers';
  if (now === last) return last;
  if (!isWanted) await forgetFirstPlaces(db);
  else if (!(await sendChanges(deps))) return last;
  return now;
}
