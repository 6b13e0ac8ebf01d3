import { type Addition, toJsonFacts } from '@inferboard/core/catalogue/additions';
import type { Principal } from '@inferboard/db/queries/account';
import {
  type CatalogueEntryRow,
  insertAddition,
  listAdditions,
  removeAddition,
} from '@inferboard/db/queries/catalogue-entry';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type HeldNameView, readHeldNames } from './review-held-name.ts';

/** An addition with what is held back under names that mean its entry. */
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

/** Everything that admins added, in the order in which they did. */
export async function readAdditions(deps: Deps) {
  const [rows, held] = await Promise.all([listAdditions(deps.database.db), readHeldNames(deps)]);
  return rows.map((row) => viewAddition(row, held));
}

/**
 * Adds an entry, or names of one, to the catalogue of every process.
 *
 * @throws DomainError `entry_conflicts` with every reason why the catalogue cannot take it
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
 * Removes an addition. False where there is none.
 *
 * @throws DomainError `entry_in_use`
 */
export async function removeFromCatalogue(deps: Deps, id: string, audit: Audit): Promise<boolean> {
  const isRemoved = await removeAddition(deps.database.db, id, (tx) => audit(tx, id));
  await deps.catalogue.follow();
  return isRemoved;
}
