import { and, desc, eq, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import { type Done, nothingMore, type Queryable, type Transaction } from '../connection/transaction.ts';
import { accounts, webhookDeliveries, webhooks } from '../schema/index.ts';
import type { SealedCredential } from './endpoint.ts';

/** Events that webhooks can subscribe to. */
export const webhookEvents = [
  'run.ended',
  'result.regressed',
  'submission.held',
  'submission.cleared',
  'submission.disputed',
  'rank.changed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export interface WebhookRow {
  id: string;
  accountId: string;
  url: string;
  events: WebhookEvent[];
  /** Workloads or shapes whose first places `rank.changed` reports regardless of the account. */
  workloads: string[];
  createdAt: string;
}

export interface DeliveryRow {
  /** Sent to the receiver, who detects repetitions by it. */
  id: string;
  event: WebhookEvent | 'ping';
  attempts: number;
  /** A short result of the last attempt; null before the first one. */
  outcome: string | null;
  deliveredAt: string | null;
  createdAt: string;
}

/** A delivery including its message. */
export interface LoggedDelivery extends DeliveryRow {
  webhookId: string;
  body: object;
  /** Time of the next attempt; null once the delivery is over. */
  nextAt: string | null;
}

/** Maximum webhooks per account. */
export const webhooksMax = 20;

const own = (id: string, accountId: string | null) =>
  and(
    eq(webhooks.id, id),
    isNull(webhooks.removedAt),
    accountId === null ? undefined : eq(webhooks.accountId, accountId),
  );

async function select(db: Queryable, where: SQL | undefined): Promise<WebhookRow[]> {
  const { id, accountId, url, events, workloads, createdAt } = webhooks;
  const rows = await db
    .select({ id, accountId, url, events, workloads, createdAt })
    .from(webhooks)
    .where(where)
    .orderBy(desc(webhooks.id));
  return rows as WebhookRow[];
}

/** The webhooks of an account, newest first; at most `webhooksMax`. */
export const listWebhooks = (db: Queryable, accountId: string) =>
  select(db, and(eq(webhooks.accountId, accountId), isNull(webhooks.removedAt)));

/** A webhook of an account; of any account if `accountId` is null. Null if it does not exist. */
export async function findWebhook(db: Queryable, id: string, accountId: string | null): Promise<WebhookRow | null> {
  return (await select(db, own(id, accountId)))[0] ?? null;
}

async function selectDeliveries(db: Queryable, where: SQL | undefined, limit: number): Promise<DeliveryRow[]> {
  const { id, event, attempts, outcome, deliveredAt, createdAt } = webhookDeliveries;
  const rows = await db
    .select({ id, event, attempts, outcome, deliveredAt, createdAt })
    .from(webhookDeliveries)
    .where(where)
    .orderBy(desc(webhookDeliveries.id))
    .limit(limit);
  return rows as DeliveryRow[];
}

/** The last deliveries to a webhook, newest first. */
export const listDeliveries = (db: Queryable, webhookId: string, limit: number) =>
  selectDeliveries(db, eq(webhookDeliveries.webhookId, webhookId), limit);

/**
 * Adds a webhook to an account; null if the account has the maximum. `seal` returns the secret's stored form for the new id.
 * Concurrent calls for one account are serialized.
 */
export async function insertWebhook(
  db: Database['db'],
  webhook: Pick<WebhookRow, 'accountId' | 'url' | 'events'> & Partial<Pick<WebhookRow, 'workloads'>>,
  seal: (id: string) => SealedCredential,
): Promise<WebhookRow | null> {
  const { accountId } = webhook;
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update');
    const mine = and(eq(webhooks.accountId, accountId), isNull(webhooks.removedAt));
    if ((await tx.$count(webhooks, mine)) >= webhooksMax) return null;
    const id = createId('whk');
    const { keyId: secretKeyId, box: secretBox } = seal(id);
    await tx.insert(webhooks).values({ id, ...webhook, secretKeyId, secretBox });
    return findWebhook(tx, id, null);
  });
}

/** Removes a webhook of an account, or of any account if `accountId` is null, with its secret and pending messages. */
export async function removeWebhook(
  db: Database['db'],
  id: string,
  accountId: string | null,
  done: Done = nothingMore,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const removed = await tx
      .update(webhooks)
      .set({ removedAt: sql`now()`, secretKeyId: null, secretBox: null })
      .where(own(id, accountId))
      .returning({ id: webhooks.id });
    if (removed.length === 0) return false;
    await done(tx);
    await tx
      .update(webhookDeliveries)
      .set({ nextAt: null, outcome: 'webhook removed' })
      .where(and(eq(webhookDeliveries.webhookId, id), isNotNull(webhookDeliveries.nextAt)));
    return true;
  });
}

/**
 * Seconds until a claimed delivery can be claimed again; longer than any attempt takes. A message whose next attempt is later
 * is thus not being sent now.
 */
export const deliveryLeaseS = 60;

const waitsForRetry = sql`${webhookDeliveries.nextAt} > now() + make_interval(secs => ${deliveryLeaseS})`;

/**
 * Queues a test message. If one is already pending, returns that one instead, and makes it due if it waits for a later retry.
 * Null if the webhook does not exist.
 */
export async function queuePing(
  db: Database['db'],
  id: string,
  accountId: string | null,
  done: Done = nothingMore,
): Promise<DeliveryRow | null> {
  return db.transaction(async (tx) => {
    const [there] = await tx.select({ id: webhooks.id }).from(webhooks).where(own(id, accountId)).for('no key update');
    if (there === undefined) return null;
    const { webhookId, event, nextAt } = webhookDeliveries;
    const waits = and(eq(webhookId, id), eq(event, 'ping'), isNotNull(nextAt));
    const [waiting] = await selectDeliveries(tx, waits, 1);
    if (waiting !== undefined) {
      await sendNow(tx, waiting.id, done);
      return waiting;
    }
    await done(tx);
    const delivery = createId('msg');
    const body = { type: 'ping', timestamp: new Date().toISOString(), data: {} };
    await tx.insert(webhookDeliveries).values({ id: delivery, webhookId: id, event: 'ping', body });
    return (await selectDeliveries(tx, eq(webhookDeliveries.id, delivery), 1))[0] ?? null;
  });
}

/** A page of a webhook's deliveries with their messages, newest first. `after` is the last id of the previous page. */
export async function pageDeliveries(
  db: Queryable,
  webhookId: string,
  { limit, after }: { limit: number; after: string | null },
): Promise<LoggedDelivery[]> {
  const before = after === null ? undefined : lt(webhookDeliveries.id, after);
  const rows = await db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.webhookId, webhookId), before))
    .orderBy(desc(webhookDeliveries.id))
    .limit(limit);
  return rows as LoggedDelivery[];
}

/** A delivery to a webhook of an account; of any account if `accountId` is null. Null if it does not exist. */
export async function findDelivery(
  db: Queryable,
  id: string,
  accountId: string | null,
): Promise<{ delivery: LoggedDelivery; url: string } | null> {
  const [row] = await db
    .select({ delivery: webhookDeliveries, url: webhooks.url })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(
      and(
        eq(webhookDeliveries.id, id),
        isNull(webhooks.removedAt),
        accountId === null ? undefined : eq(webhooks.accountId, accountId),
      ),
    );
  return (row as { delivery: LoggedDelivery; url: string } | undefined) ?? null;
}

/** Makes a delivery due that is finished or waits for a later retry. */
async function sendNow(tx: Transaction, id: string, done: Done): Promise<void> {
  const due = await tx
    .update(webhookDeliveries)
    .set({ nextAt: sql`now()`, deliveredAt: null })
    .where(and(eq(webhookDeliveries.id, id), or(isNull(webhookDeliveries.nextAt), waitsForRetry)))
    .returning({ id: webhookDeliveries.id });
  if (due.length > 0) await done(tx);
}

/** Makes a delivery due again under the same id. A delivery that is sent within a minute is unchanged. */
export async function sendAgain(db: Database['db'], id: string, done: Done = nothingMore): Promise<void> {
  await db.transaction((tx) => sendNow(tx, id, done));
}
