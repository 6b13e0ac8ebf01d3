import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { createId } from '../connection/ids.ts';
import type { Queryable } from '../connection/transaction.ts';
import { webhookDeliveries, webhooks } from '../schema/index.ts';
import type { SealedCredential } from './endpoint.ts';
import { type DeliveryRow, deliveryLeaseS, type WebhookEvent } from './webhook.ts';

/** The body of a message by the Standard Webhooks specification. */
export interface WebhookBody {
  /** The event's name. */
  type: DeliveryRow['event'];
  /** When the event happened, RFC 3339. */
  timestamp: string;
  data: Record<string, unknown>;
}

/**
 * Queues a message to each of an account's webhooks that subscribe to the event, in the transaction that causes it. Returns
 * their number.
 */
export async function queueDeliveries(
  tx: Queryable,
  { accountId, event, body }: { accountId: string; event: WebhookEvent; body: WebhookBody },
): Promise<number> {
  const wanting = await tx
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(eq(webhooks.accountId, accountId), isNull(webhooks.removedAt), sql`${event}::text = any(${webhooks.events})`),
    );
  await queueMessages(
    tx,
    wanting.map(({ id: webhookId }) => ({ webhookId, body })),
  );
  return wanting.length;
}

/** Queues one message each to some webhooks. */
export async function queueMessages(
  tx: Queryable,
  messages: readonly { webhookId: string; body: WebhookBody }[],
): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ webhookId, body }) => ({ id: createId('msg'), webhookId, event: body.type, body }));
  await tx.insert(webhookDeliveries).values(rows);
}

/** Webhooks that subscribe to an event, of any account. */
export async function listSubscribers(
  db: Queryable,
  event: WebhookEvent,
): Promise<{ id: string; accountId: string; workloads: string[] }[]> {
  const { id, accountId, workloads, events, removedAt } = webhooks;
  return db
    .select({ id, accountId, workloads })
    .from(webhooks)
    .where(and(isNull(removedAt), sql`${event}::text = any(${events})`))
    .orderBy(id);
}

export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  body: WebhookBody;
  /** Number of attempts, including this one. A later claim has a higher number, and this attempt then records nothing. */
  attempts: number;
  url: string;
  /** Null if the webhook was removed. */
  secret: SealedCredential | null;
}

interface ClaimedRow extends Omit<ClaimedDelivery, 'secret'> {
  secretKeyId: string | null;
  /** Hexadecimal. */
  secretBox: string | null;
}

/**
 * Claims up to `limit` due deliveries, the longest due first. A delivery whose worker records no outcome before the lease ends
 * is claimed again, so that each message is sent at least once.
 */
export async function claimDeliveries(db: Queryable, limit: number): Promise<ClaimedDelivery[]> {
  const rows = (await db.execute(sql`
    with due as materialized (
      select id from webhook_deliveries where next_at <= now() order by next_at, id limit ${limit} for update skip locked)
    update webhook_deliveries d
    set next_at = now() + make_interval(secs => ${deliveryLeaseS}), attempts = d.attempts + 1
    from due, webhooks w
    where d.id = due.id and w.id = d.webhook_id
    returning d.id, d.webhook_id as "webhookId", d.body, d.attempts, w.url, w.secret_key_id as "secretKeyId",
      encode(w.secret_box, 'hex') as "secretBox"`)) as unknown as ClaimedRow[];
  return rows.map(({ secretKeyId: keyId, secretBox: box, ...row }) => ({
    ...row,
    secret: keyId === null || box === null ? null : { keyId, box: Buffer.from(box, 'hex') },
  }));
}

type Claim = Pick<ClaimedDelivery, 'id' | 'attempts'>;

const ofClaim = ({ id, attempts }: Claim) =>
  and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempts, attempts), isNull(webhookDeliveries.deliveredAt));

/** Records a successful delivery and the response. */
export async function noteDelivered(db: Queryable, claim: Claim, outcome: string): Promise<void> {
  await db.update(webhookDeliveries).set({ deliveredAt: sql`now()`, nextAt: null, outcome }).where(ofClaim(claim));
}

/** Records why an attempt failed. Schedules the next attempt after a delay, or none. */
export async function noteFailed(
  db: Queryable,
  claim: Claim,
  { outcome, retryInS }: { outcome: string; retryInS: number | null },
): Promise<void> {
  const nextAt = retryInS === null ? null : sql`now() + make_interval(secs => ${retryInS})`;
  await db
    .update(webhookDeliveries)
    .set({ nextAt, outcome })
    // The webhook may have been removed meanwhile.
    .where(and(ofClaim(claim), isNotNull(webhookDeliveries.nextAt)));
}

/** Returns an unused delivery to the queue without counting the attempt. */
export async function releaseDelivery(db: Queryable, claim: Claim): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAt: sql`now()`, attempts: sql`${webhookDeliveries.attempts} - 1` })
    .where(and(ofClaim(claim), isNotNull(webhookDeliveries.nextAt)));
}
