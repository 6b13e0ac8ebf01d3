import { and, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import { accounts, webhookDeliveries, webhooks } from '../schema/index.ts';
import { type Done, nothingMore, type Queryable } from '../transaction.ts';
import type { SealedCredential } from './endpoint.ts';

/** What a webhook can be told of. */
export const webhookEvents = ['run.ended', 'result.regressed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export interface WebhookRow {
  id: string;
  accountId: string;
  url: string;
  events: WebhookEvent[];
  createdAt: string;
}

export interface DeliveryRow {
  /** Told to the receiver, who knows a repetition by it. */
  id: string;
  event: WebhookEvent | 'ping';
  attempts: number;
  /** What became of the last attempt, in a few words; null before it. */
  outcome: string | null;
  deliveredAt: string | null;
  createdAt: string;
}

/** Webhooks that an account has at a time. */
export const webhooksMax = 20;

const own = (id: string, accountId: string | null) =>
  and(
    eq(webhooks.id, id),
    isNull(webhooks.removedAt),
    accountId === null ? undefined : eq(webhooks.accountId, accountId),
  );

async function select(db: Queryable, where: SQL | undefined): Promise<WebhookRow[]> {
  const { id, accountId, url, events, createdAt } = webhooks;
  const rows = await db
    .select({ id, accountId, url, events, createdAt })
    .from(webhooks)
    .where(where)
    .orderBy(desc(webhooks.id));
  return rows as WebhookRow[];
}

/** The webhooks of an account, newest first; at most `webhooksMax`. */
export const listWebhooks = (db: Queryable, accountId: string) =>
  select(db, and(eq(webhooks.accountId, accountId), isNull(webhooks.removedAt)));

/** A webhook of an account, or for `accountId` null anybody's; null if there is none. */
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
 * Adds a webhook to those of an account; null where it has as many as it may. `seal` makes the secret's stored form for
 * the id that it gets. Simultaneous ones of an account wait for each other.
 */
export async function insertWebhook(
  db: Database['db'],
  webhook: Pick<WebhookRow, 'accountId' | 'url' | 'events'>,
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

/** Removes a webhook of an account, or for `accountId` null anybody's, with its secret and what waits to be sent. */
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
 * Queues a message that says nothing, to see whether it arrives. While one waits there is no second: that one is
 * answered. Null if there is no such webhook.
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
    if (waiting !== undefined) return waiting;
    await done(tx);
    const delivery = createId('msg');
    const body = { type: 'ping', timestamp: new Date().toISOString(), data: {} };
    await tx.insert(webhookDeliveries).values({ id: delivery, webhookId: id, event: 'ping', body });
    return (await selectDeliveries(tx, eq(webhookDeliveries.id, delivery), 1))[0] ?? null;
  });
}
