import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { insertWebhook, type WebhookEvent } from '@inferboard/db/runs/webhook';
import { queueDeliveries } from '@inferboard/db/runs/webhook-delivery';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createPolicy } from '@inferboard/outbound/policy';
import { createKeyring, type Keyring, seal } from '@inferboard/outbound/sealed-secrets';
import { noTracing } from '@inferboard/telemetry/tracing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { WorkerDeps } from '../../deps.ts';
import { addAccount, secretKey } from '../../testing/world.ts';
import { deliverDue } from '../deliver-due.ts';

/** 32 bytes whose base64 form contains + and /. */
export const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 251) % 256)).toString('base64')}`;
export const timestamp = '2026-11-21T12:00:00.000Z';

export interface SeenDelivery {
  id: string;
  webhookId: string;
  event: string;
  attempts: number;
  outcome: string | null;
  isDelivered: boolean;
  /** Seconds until the next attempt; null: none. */
  inS: number | null;
}

interface Given {
  deps?: WorkerDeps;
  signal?: AbortSignal;
  timeout_ms?: number;
}

/** Provides an account with webhooks in this file's database. Removes all webhooks before each test. */
export function useWebhookWorld() {
  const testDatabase = useTestDatabase();
  const logged: string[] = [];
  let made: { databases: [Database, Database]; keyring: Keyring; accountId: string } | undefined;
  const world = () => {
    if (made === undefined) throw new Error('The webhook world exists only inside tests and hooks.');
    return made;
  };
  beforeAll(async () => {
    const connect = () => createDatabase(testDatabase.url, { poolSize: 6 });
    const databases: [Database, Database] = [connect(), connect()];
    made = { databases, keyring: await createKeyring(secretKey), accountId: await addAccount(databases[0], 'owner') };
  });
  afterAll(() => Promise.all(world().databases.map((one) => one.close())));
  beforeEach(async () => {
    logged.length = 0;
    await world().databases[0].sql`truncate webhook_deliveries, webhooks cascade`;
  });

  const depsOf = (database: Database): WorkerDeps => ({
    database,
    catalogue: followCatalogue(database),
    outbound: createPolicy({ contact: 'https://bench.example/contact', allowCidrs: ['127.0.0.0/8'] }),
    keyring: world().keyring,
    publicUrl: 'https://bench.example',
    artifacts: inDatabase,
    workerId: 'test',
    tracing: noTracing,
    log: (level, message, details) => logged.push(JSON.stringify([level, message, details])),
  });
  const database = () => world().databases[0];
  const see = async (): Promise<SeenDelivery[]> =>
    database().sql<SeenDelivery[]>`
      select id, webhook_id as "webhookId", event, attempts, outcome, delivered_at is not null as "isDelivered",
        round(extract(epoch from next_at - now()))::int as "inS"
      from webhook_deliveries order by id`;

  return {
    logged,
    depsOf,
    see,
    database,
    databaseUrl: () => testDatabase.url,
    databases: () => world().databases,
    accountId: () => world().accountId,
    seeOne: async (): Promise<SeenDelivery> => {
      const [row] = await see();
      if (row === undefined) throw new Error('there is no delivery');
      return row;
    },
    deliver: (given: Given = {}) => {
      const { deps = depsOf(database()), signal = new AbortController().signal, ...options } = given;
      return deliverDue(deps, signal, options);
    },
    addWebhook: async (
      url: string,
      events: WebhookEvent[] = ['run.ended', 'result.regressed'],
      accountId = world().accountId,
    ): Promise<string> => {
      const row = await insertWebhook(database().db, { accountId, url, events }, (id) =>
        seal(world().keyring, { table: 'webhooks', id }, secret),
      );
      if (row === null) throw new Error('the account has too many webhooks');
      return row.id;
    },
    queue: (event: WebhookEvent = 'run.ended', data: Record<string, unknown> = { run_id: 'run_1', note: 'größer' }) =>
      database().db.transaction((tx) =>
        queueDeliveries(tx, { accountId: world().accountId, event, body: { type: event, timestamp, data } }),
      ),
    becomeDue: () =>
      database().sql`update webhook_deliveries set next_at = now() - interval '1 second' where next_at is not null`,
  };
}
