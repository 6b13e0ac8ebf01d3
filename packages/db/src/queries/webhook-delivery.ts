import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { createId } from '../ids.ts';
import { webhookDeliveries, webhooks } from '../schema/index.ts';
import type { Queryable, Transaction } from '../transaction.ts';
import type { SealedCredential } from './endpoint.ts';
import type { DeliveryRow, WebhookEvent } from './webhook.ts';

/** What a receiver is sent, by the Standard Webhooks specification. */
export interface WebhookBody {
  /** The event. */
  type: DeliveryRow['event'];
  /** When it happened, RFC 3339. */
  timestamp: string;
  data: Record<string, unknown>;
}

/**
 * Queues a message to each webhook of an account that wants the event, in the transaction in which it happens; answers how
 * many there are.
 */
export async function queueDeliveries(
  tx: Transaction,
  { accountId, event, body }: { accountId: string; event: WebhookEvent; body: WebhookBody },
): Promise<number> {
  const wanting = await tx
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(eq(webhooks.accountId, accountId), isNull(webhooks.removedAt), sql`${event}::text = any(${webhooks.events})`),
    );
  if (wanting.length === 0) return 0;
  await tx
    .insert(webhookDeliveries)
    .values(wanting.map((webhook) => ({ id: createId('msg'), webhookId: webhook.id, event, body })));
  return wanting.length;
}

export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  body: WebhookBody;
  /** This one among them. Whoever claims it next has a higher number, and nothing of this attempt is noted then. */
  attempts: number;
  url: string;
  /** Null once the webhook is removed. */
  secret: SealedCredential | null;
}

/** Seconds that a claimed delivery is left to its worker; longer than any attempt takes. */
export const deliveryLeaseS = 60;

interface ClaimedRow extends Omit<ClaimedDelivery, 'secret'> {
  secretKeyId: string | null;
  /** In hexadecimal digits. */
  secretBox: string | null;
}

/**
 * Claims deliveries that are due, the longest due first and so many at most. What its worker does not note before the
 * lease ends is claimed again: a message is sent at least once.
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

/** Notes that a message was taken, and by which answer. */
export async function noteDelivered(db: Queryable, claim: Claim, outcome: string): Promise<void> {
  await db.update(webhookDeliveries).set({ deliveredAt: sql`now()`, nextAt: null, outcome }).where(ofClaim(claim));
}

/** Notes what stopped an attempt; the next one is after so many seconds, or there is none. */
export async function noteFailed(
  db: Queryable,
  claim: Claim,
  { outcome, retryInS }: { outcome: string; retryInS: number | null },
): Promise<void> {
  const nextAt = retryInS === null ? null : sql`now() + make_interval(secs => ${retryInS})`;
  await db
    .update(webhookDeliveries)
    .set({ nextAt, outcome })
    // Over meanwhile, where the webhook was removed.
    .where(and(ofClaim(claim), isNotNull(webhookDeliveries.nextAt)));
}

/** Gives a delivery back that this worker has no time for, as if it had not been tried. */
export async function releaseDelivery(db: Queryable, claim: Claim): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAt: sql`now()`, attempts: sql`${webhookDeliveries.attempts} - 1` })
    .where(and(ofClaim(claim), isNotNull(webhookDeliveries.nextAt)));
}
