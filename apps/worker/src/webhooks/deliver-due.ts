import {
  type ClaimedDelivery,
  claimDeliveries,
  noteDelivered,
  noteFailed,
  releaseDelivery,
} from '@inferboard/db/runs/webhook-delivery';
import type { WorkerDeps } from '../deps.ts';
import { type Attempt, sendMessage } from './send-message.ts';

/** Seconds between attempts. After the last one, a message is given up. */
export const retryDelaysS = [5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600] as const;

const deliveriesAtOnce = 10;
const timeoutDefault_ms = 10_000;

/** Makes one attempt and handles all outcomes. An internal error is retried like any other. */
async function attempt(
  deps: WorkerDeps,
  delivery: ClaimedDelivery,
  options: { signal: AbortSignal; timeout_ms: number },
): Promise<Attempt> {
  try {
    return await sendMessage(deps, delivery, options);
  } catch (error) {
    const stack = error instanceof Error ? error.stack : String(error);
    deps.log('error', `delivery ${delivery.id} failed`, { delivery_id: delivery.id, error: stack });
    return { kind: 'failed', outcome: 'not sent', detail: null };
  }
}

async function deliver(
  deps: WorkerDeps,
  delivery: ClaimedDelivery,
  options: { signal: AbortSignal; timeout_ms: number },
): Promise<void> {
  const { db } = deps.database;
  const { kind, outcome, detail } = await attempt(deps, delivery, options);
  if (kind === 'stopped') return releaseDelivery(db, delivery);
  if (kind === 'taken') return noteDelivered(db, delivery, outcome);
  const retryInS = kind === 'over' ? null : (retryDelaysS[delivery.attempts - 1] ?? null);
  const then = retryInS === null ? 'given up' : `retry in ${retryInS} s`;
  const result = detail === null ? outcome : `${outcome} (${detail})`;
  const ids = { delivery_id: delivery.id, webhook_id: delivery.webhookId };
  deps.log('warn', `delivery ${delivery.id} to ${delivery.webhookId}: ${result}, ${then}`, ids);
  await noteFailed(db, delivery, { outcome, retryInS });
}

/**
 * Sends due messages, ten at a time, until none are left. Each is sent at least once, and by a single worker unless one crashes
 * between sending and recording. Repetitions have the same id, so that receivers can detect them.
 */
export async function deliverDue(
  deps: WorkerDeps,
  signal: AbortSignal,
  { timeout_ms = timeoutDefault_ms }: { timeout_ms?: number } = {},
): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimDeliveries(deps.database.db, deliveriesAtOnce);
    const send = (delivery: ClaimedDelivery) =>
      deps.tracing.span(
        'deliver webhook',
        { parent: null, attributes: { 'inferboard.delivery.id': delivery.id } },
        () => deliver(deps, delivery, { signal, timeout_ms }),
      );
    const done = await Promise.allSettled(claimed.map(send));
    const failed = done.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    if (claimed.length < deliveriesAtOnce) return;
  }
}
