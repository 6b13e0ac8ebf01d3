import { type Addition, toJsonFacts } from '@inferboard/core/catalogue/additions/additions';
import type { Principal } from '@inferboard/db/accounts/account';
import {
  type CatalogueEntryRow,
  insertAddition,
  listAdditions,
  removeAddition,
} from '@inferboard/db/catalogue/catalogue-entry';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type HeldNameView, readHeldNames } from '../reviews/review-held-name.ts';

/** An addition, with the held names that resolve to its entry. */
function viewAddition(row: CatalogueEntryRow, allHeld: readonly HeldNameView[]) {
  const { additionId: id, kind, id: entry, facts, aliases, addedBy, createdAt } = row;
  const held = allHeld.filter((name) => name.fact === kind && name.known_as === entry);
  const sum = (of: 'results' | 'submissions') => held.reduce((all, name) => all + name[of], 0);
  return {
    ...{ id, kind, entry, facts: facts === null ? null : toJsonFacts(facts), aliases: [...aliases] },
    added_by: addedBy,
    created_at: new Date(createdAt).toISOString(),
    held: {
      ...{ results: sum('results'), submissions: sum('submissions'), names: held.map(({ name }) => name) },
      link: held.length === 0 ? null : `/v1/admin/held-names?${new URLSearchParams({ fact: kind, known_as: entry })}`,
    },
  };
}

/** All additions of admins, in the order in which they were made. */
export async function readAdditions(deps: Deps) {
  const [rows, held] = await Promise.all([listAdditions(deps.database.db), readHeldNames(deps)]);
  return rows.map((row) => viewAddition(row, held));
}

/**
 * Adds an entry, or aliases of one, to the catalogue of every process.
 *
 * @throws DomainError `entry_conflicts` with every reason why the catalogue cannot accept it
 */
export async function addToCatalogue(deps: Deps, { accountId }: Principal, addition: Addition, audit: Audit) {
  const { db } = deps.database;
  const id = await insertAddition(db, addition, accountId, (tx, target) =>
    audit(tx, target, { kind: addition.kind, entry: addition.id }),
  );
  await deps.catalogue.follow();
  return (await readAdditions(deps)).find((added) => added.id === id);
}

/**
 * Removes an addition. Returns false if it does not exist.
 *
 * @throws DomainError `entry_in_use`
 */
export async function removeFromCatalogue(deps: Deps, id: string, audit: Audit): Promise<boolean> {
  const isRemoved = await removeAddition(deps.database.db, id, (tx) => audit(tx, id));
  await deps.catalogue.follow();
  return isRemoved;
}
