import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { accounts, endpoints } from '../schema/index.ts';

/** The facts of a served system, as stated by its owner. */
export interface EndpointFacts {
  gpu?: string | undefined;
  gpu_count?: number | undefined;
  gpu_power_limit_w?: number | undefined;
  quantization?: string | undefined;
  engine?: string | undefined;
  engine_version?: string | undefined;
  tensor_parallel?: number | undefined;
}

/** A credential in stored form. */
export interface SealedCredential {
  keyId: string;
  box: Uint8Array;
}

export interface EndpointRow {
  id: string;
  accountId: string;
  name: string;
  baseUrl: string;
  /** URL of the server's Prometheus metrics; null if a run does not read them. */
  metricsUrl: string | null;
  model: string;
  facts: EndpointFacts;
  hasCredential: boolean;
  proofToken: string;
  /** The owner's daily limits (UTC); null: unlimited. */
  requestsPerDay: number | null;
  tokensPerDay: number | null;
  verifiedBy: 'proof' | 'admin' | null;
  verifiedAt: string | null;
  createdAt: string;
}

export interface NewEndpoint
  extends Pick<EndpointRow, 'accountId' | 'name' | 'baseUrl' | 'model' | 'facts'>,
    Partial<Pick<EndpointRow, 'metricsUrl' | 'requestsPerDay' | 'tokensPerDay'>> {
  proofToken: string;
}

/** Maximum endpoints per account. */
export const endpointsMax = 50;

const own = (id: string, accountId: string | null) =>
  and(
    eq(endpoints.id, id),
    isNull(endpoints.removedAt),
    accountId === null ? undefined : eq(endpoints.accountId, accountId),
  );

async function selectEndpoints(db: Queryable, where: SQL | undefined, limit?: number): Promise<EndpointRow[]> {
  const columns = endpoints;
  const rows = await db
    .select({
      id: columns.id,
      accountId: columns.accountId,
      name: columns.name,
      baseUrl: columns.baseUrl,
      metricsUrl: columns.metricsUrl,
      model: columns.model,
      facts: columns.facts,
      hasCredential: sql<boolean>`${columns.credentialKeyId} is not null`,
      proofToken: columns.proofToken,
      requestsPerDay: columns.requestsPerDay,
      tokensPerDay: columns.tokensPerDay,
      verifiedBy: columns.verifiedBy,
      verifiedAt: columns.verifiedAt,
      createdAt: columns.createdAt,
    })
    .from(endpoints)
    .where(where)
    .orderBy(desc(columns.id))
    .limit(limit ?? endpointsMax);
  return rows.map((row) => ({
    ...row,
    facts: row.facts as EndpointFacts,
    verifiedBy: row.verifiedBy as EndpointRow['verifiedBy'],
  }));
}

/** The endpoints of an account, newest first; at most `endpointsMax`. */
export const listEndpoints = (db: Queryable, accountId: string) =>
  selectEndpoints(db, and(eq(endpoints.accountId, accountId), isNull(endpoints.removedAt)));

/** Endpoints that are neither verified by proof nor by an admin, newest first. */
export const listUnprovenEndpoints = (db: Queryable, limit: number) =>
  selectEndpoints(db, and(isNull(endpoints.verifiedAt), isNull(endpoints.removedAt)), limit);

/** An endpoint of an account; of any account if `accountId` is null. Null if it does not exist. */
export async function findEndpoint(db: Queryable, id: string, accountId: string | null): Promise<EndpointRow | null> {
  return (await selectEndpoints(db, own(id, accountId)))[0] ?? null;
}

/** Why an endpoint was rejected. */
export type EndpointRefusal = 'name_taken' | 'too_many';

/**
 * Adds an endpoint to an account, verified if the account has proven its origin. `seal` returns the credential's stored form
 * for the new id. Concurrent calls for one account are serialized.
 */
export async function insertEndpoint(
  db: Database['db'],
  endpoint: NewEndpoint,
  seal: ((id: string) => SealedCredential) | null,
): Promise<EndpointRow | EndpointRefusal> {
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, endpoint.accountId)).for('no key update');
    const mine = and(eq(endpoints.accountId, endpoint.accountId), isNull(endpoints.removedAt));
    if ((await tx.$count(endpoints, mine)) >= endpointsMax) return 'too_many';
    const id = createId('ep');
    const sealed = seal?.(id) ?? null;
    const credential = { credentialKeyId: sealed?.keyId ?? null, credentialBox: sealed?.box ?? null };
    const inserted = await tx
      .insert(endpoints)
      .values({ id, ...endpoint, ...credential, ...(await findProof(tx, endpoint)) })
      .onConflictDoNothing()
      .returning({ id: endpoints.id });
    if (inserted.length === 0) return 'name_taken';
    const row = await findEndpoint(tx, id, null);
    if (row === null) throw new Error(`endpoint ${id} does not exist`);
    return row;
  });
}

/** The sealed credential of an endpoint; null if it has none. */
export async function readCredential(db: Queryable, id: string): Promise<SealedCredential | null> {
  const [row] = await db
    .select({ keyId: endpoints.credentialKeyId, box: endpoints.credentialBox })
    .from(endpoints)
    .where(own(id, null));
  return row === undefined || row.keyId === null || row.box === null ? null : { keyId: row.keyId, box: row.box };
}

/** The account's endpoints at one origin. */
const ofOrigin = (accountId: string, baseUrl: string) =>
  and(
    eq(endpoints.accountId, accountId),
    isNull(endpoints.removedAt),
    sql`starts_with(${endpoints.baseUrl}, ${`${new URL(baseUrl).origin}/`})`,
  );

/**
 * Records that an endpoint's owner controls it; an earlier verification is kept. A proof covers the origin, so it applies to
 * the account's other endpoints there. An admin verifies a single endpoint, since many may share a platform's host. Neither
 * affects other accounts.
 */
export async function verifyEndpoint(db: Queryable, id: string, by: 'proof' | 'admin'): Promise<void> {
  const row = await findEndpoint(db, id, null);
  if (row === null) return;
  await db
    .update(endpoints)
    .set({ verifiedBy: by, verifiedAt: sql`now()` })
    .where(and(by === 'proof' ? ofOrigin(row.accountId, row.baseUrl) : own(id, null), isNull(endpoints.verifiedAt)));
}

/** The account's proof of control of an origin, if it exists. */
async function findProof(tx: Transaction, { accountId, baseUrl }: NewEndpoint) {
  const { verifiedBy, verifiedAt } = endpoints;
  const [first] = await tx
    .select({ verifiedBy, verifiedAt })
    .from(endpoints)
    .where(and(ofOrigin(accountId, baseUrl), eq(verifiedBy, 'proof')))
    .orderBy(verifiedAt)
    .limit(1);
  return first ?? {};
}

/**
 * Removes an endpoint of an account, or of any account if `accountId` is null, with its credential. Returns false if it does
 * not exist.
 */
export async function removeEndpoint(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const removed = await db
    .update(endpoints)
    .set({ removedAt: sql`now()`, credentialKeyId: null, credentialBox: null })
    .where(own(id, accountId))
    .returning({ id: endpoints.id });
  return removed.length > 0;
}
