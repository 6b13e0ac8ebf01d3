import { extendCatalogue } from '@inferboard/core/catalogue/extend';
import type { Database } from './client.ts';
import { listAdditions } from './queries/catalogue-entry.ts';
import { readDataVersions } from './queries/data-version-read.ts';

/** Keeps the catalogue of this process, or of this thread, as operators left it. */
export interface CatalogueFollower {
  /** Asks the database whether the catalogue has changed, and takes the change over. */
  follow(): Promise<void>;
  /** The same for a caller that has just read the version of the scope `catalogue` from a database. */
  note(database: Pick<Database, 'sql'>, version: string): Promise<void>;
}

/**
 * Reads what operators added from the primary whenever a database shows another version of it. What a name means after the
 * first answer of either function is at least as new as what the database showed when it was called.
 *
 * @param log is given what the catalogue of this release cannot take
 */
export function followCatalogue(primary: Database, log: (leftOut: string) => void = () => {}): CatalogueFollower {
  const seen = new WeakMap<object, string>();
  let turn: Promise<unknown> = Promise.resolve();
  const takeOver = async (database: object, version: string) => {
    if (seen.get(database) === version) return;
    for (const leftOut of extendCatalogue(await listAdditions(primary.db))) log(leftOut);
    seen.set(database, version);
  };
  const note: CatalogueFollower['note'] = async (database, version) => {
    if (seen.get(database) === version) return;
    const mine = turn.then(() => takeOver(database, version));
    turn = mine.catch(() => {});
    // A copy answers while the primary is away, by the catalogue of before.
    await (database === primary ? mine : turn);
  };
  return { note, follow: async () => note(primary, (await readDataVersions(primary.sql)).catalogue) };
}
