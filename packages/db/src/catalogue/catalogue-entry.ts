import type { Addition, AdditionKind } from '@inferboard/core/catalogue/additions/additions';
import { additionFaults, extendCatalogue, meaningOf } from '@inferboard/core/catalogue/additions/extend';
import { DomainError } from '@inferboard/core/errors';
import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import { type Queryable, type Transaction, transact } from '../connection/transaction.ts';
import { accounts, catalogueEntries } from '../schema/index.ts';

export interface CatalogueEntryRow extends Addition {
  /** Id of the addition; `id` is the id of the catalogue entry. */
  additionId: string;
  addedBy: { id: string; name: string };
  createdAt: string;
}

/** Operators' additions, in the order of their creation. */
export async function listAdditions(db: Queryable): Promise<CatalogueEntryRow[]> {
  const { id, kind, entryId, facts, aliases, addedBy, createdAt } = catalogueEntries;
  const rows = await db
    .select({
      ...{ additionId: id, kind, id: entryId, facts, aliases, createdAt },
      addedBy: { id: addedBy, name: accounts.name },
    })
    .from(catalogueEntries)
    .innerJoin(accounts, eq(accounts.id, addedBy))
    .orderBy(asc(createdAt), asc(id));
  return rows;
}

/** Reads the additions and locks them until the transaction ends. */
async function lockAdditions(tx: Transaction): Promise<CatalogueEntryRow[]> {
  await tx.execute(sql`lock table catalogue_entries in share row exclusive mode`);
  return listAdditions(tx);
}

/**
 * Adds an entry, or names of an entry, to the catalogue. Concurrent calls are serialized.
 *
 * @throws DomainError `entry_conflicts` with all reasons why the catalogue rejects it
 */
export async function insertAddition(
  db: Database['db'],
  addition: Addition,
  addedBy: string,
  done: (tx: Transaction, id: string) => Promise<void>,
): Promise<string> {
  return transact(db, async (tx) => {
    extendCatalogue(await lockAdditions(tx));
    const faults = additionFaults(addition);
    if (faults.length > 0) throw new DomainError('entry_conflicts', 'The entry conflicts with the catalogue.', faults);
    const additionId = createId('cat');
    const { kind, id: entryId, facts, aliases } = addition;
    await tx.insert(catalogueEntries).values({ id: additionId, kind, entryId, facts, aliases: [...aliases], addedBy });
    await done(tx, additionId);
    return additionId;
  });
}

/** The names under which stored systems were matched to an entry. */
async function namesStoredAs(tx: Transaction, kind: AdditionKind, entryId: string): Promise<string[]> {
  const [id, name] = [sql.identifier(`${kind}_id`), sql.identifier(`${kind}_name`)];
  const rows = (await tx.execute(
    sql`select distinct ${name} as name from systems where ${id} = ${entryId}`,
  )) as unknown as { name: string }[];
  return rows.map(({ name }) => name);
}

/** Whether a stored name or another addition would resolve differently without an addition. */
async function isInUse(tx: Transaction, all: readonly CatalogueEntryRow[], removed: CatalogueEntryRow) {
  const { kind, id, facts } = removed;
  const stored = await namesStoredAs(tx, kind, id);
  if (facts !== null && stored.length > 0) return true;
  const rest = all.filter((row) => row !== removed);
  const before = extendCatalogue(all).length;
  const known = stored.filter((name) => meaningOf(kind, name) === id);
  try {
    return extendCatalogue(rest).length > before || known.some((name) => meaningOf(kind, name) !== id);
  } finally {
    extendCatalogue(all);
  }
}

/**
 * Removes an addition that has no references. Returns false if it does not exist.
 *
 * @throws DomainError `entry_in_use`
 */
export async function removeAddition(
  db: Database['db'],
  additionId: string,
  done: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return transact(db, async (tx) => {
    const all = await lockAdditions(tx);
    const removed = all.find((row) => row.additionId === additionId);
    if (removed === undefined) return false;
    if (await isInUse(tx, all, removed))
      throw new DomainError('entry_in_use', `Stored results or other entries use the ${removed.kind} ${removed.id}.`);
    await tx.delete(catalogueEntries).where(eq(catalogueEntries.id, additionId));
    await done(tx);
    return true;
  });
}
