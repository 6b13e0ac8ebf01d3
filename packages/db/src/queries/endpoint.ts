import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import { accounts, endpoints } from '../schema/index.ts';
import type { Queryable, Transaction } from '../transaction.ts';

/** What tells a served system apart, as its owner says it. */
export interface EndpointFacts {
  gpu?: string | undefined;
  gpu_count?: number | undefined;
  gpu_power_limit_w?: number | undefined;
  quantization?: string | undefined;
  engine?: string | undefined;
  engine_version?: string | undefined;
  tensor_parallel?: number | undefined;
}

/** A credential as it is stored. */
export interface SealedCredential {
  keyId: string;
  box: Uint8Array;
}

export interface EndpointRow {
  id: string;
  accountId: string;
  name: string;
  baseUrl: string;
  model: string;
  facts: EndpointFacts;
  hasCredential: boolean;
  proofToken: string;
  /** What its owner lets it be asked on a day (UTC); null: as much as comes. */
  requestsPerDay: number | null;
  tokensPerDay: number | null;
  verifiedBy: 'proof' | 'admin' | null;
  verifiedAt: string | null;
  createdAt: string;
}

export interface NewEndpoint
  extends Pick<EndpointRow, 'accountId' | 'name' | 'baseUrl' | 'model' | 'facts'>,
    Partial<Pick<EndpointRow, 'requestsPerDay' | 'tokensPerDay'>> {
  proofToken: string;
}

/** Endpoints that an account has at a time. */
export const endpointsMax = 50;

const own = (id: string, accountId: string | null) =>
  and(
    eq(endpoints.id, id),
    isNull(endpoints.removedAt),
    accountId === null ? undefined : eq(endpoints.accountId, accountId),
  );

async function selectEndpoints(db: Queryable, where: SQL | undefined): Promise<EndpointRow[]> {
  const columns = endpoints;
  const rows = await db
    .select({
      id: columns.id,
      accountId: columns.accountId,
      name: columns.name,
      baseUrl: columns.baseUrl,
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
    .orderBy(desc(columns.id));
  return rows.map((row) => ({
    ...row,
    facts: row.facts as EndpointFacts,
    verifiedBy: row.verifiedBy as EndpointRow['verifiedBy'],
  }));
}

/** The endpoints of an account, newest first; at most `endpointsMax`. */
export const listEndpoints = (db: Queryable, accountId: string) =>
  selectEndpoints(db, and(eq(endpoints.accountId, accountId), isNull(endpoints.removedAt)));

/** An endpoint of an account, or for `accountId` null anybody's; null if there is none. */
export async function findEndpoint(db: Queryable, id: string, accountId: string | null): Promise<EndpointRow | null> {
  return (await selectEndpoints(db, own(id, accountId)))[0] ?? null;
}

/** Why an endpoint was not added. */
export type EndpointRefusal = 'name_taken' | 'too_many';

/**
 * Adds an endpoint to those of an account, verified where that account has proven its origin. `seal` makes the credential's stored form for the id that it gets. Simultaneous
 * ones of an account wait for each other.
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
    if (row === null) throw new Error(`endpoint ${id} vanished`);
    return row;
  });
}

/** The sealed credential of an endpoint; null where it has none. */
export async function readCredential(db: Queryable, id: string): Promise<SealedCredential | null> {
  const [row] = await db
    .select({ keyId: endpoints.credentialKeyId, box: endpoints.credentialBox })
    .from(endpoints)
    .where(own(id, null));
  return row === undefined || row.keyId === null || row.box === null ? null : { keyId: row.keyId, box: row.box };
}

/** Those of an account at one origin. */
const ofOrigin = (accountId: string, baseUrl: string) =>
  and(
    eq(endpoints.accountId, accountId),
    isNull(endpoints.removedAt),
    sql`starts_with(${endpoints.baseUrl}, ${`${new URL(baseUrl).origin}/`})`,
  );

/**
 * Notes that an endpoint's owner controls it; who said so first stays. A proof is one of the origin: it holds for the other
 * endpoints of the account there. An admin vouches for one endpoint, since many may share the host of a platform. Neither
 * says anything of other accounts.
 */
export async function verifyEndpoint(db: Queryable, id: string, by: 'proof' | 'admin'): Promise<void> {
  const row = await findEndpoint(db, id, null);
  if (row === null) return;
  await db
    .update(endpoints)
    .set({ verifiedBy: by, verifiedAt: sql`now()` })
    .where(and(by === 'proof' ? ofOrigin(row.accountId, row.baseUrl) : own(id, null), isNull(endpoints.verifiedAt)));
}

/** The proof that the account controls an origin, if it has one. */
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

/** Removes an endpoint of an account, or for `accountId` null anybody's, with its credential. False if there is none. */
export async function removeEndpoint(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const removed = await db
    .update(endpoints)
    .set({ removedAt: sql`now()`, credentialKeyId: null, credentialBox: null })
    .where(own(id, accountId))
    .returning({ id: endpoints.id });
  return removed.length > 0;
}
