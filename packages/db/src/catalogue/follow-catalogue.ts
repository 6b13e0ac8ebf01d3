import { extendCatalogue } from '@inferboard/core/catalogue/additions/extend';
import type { Database } from '../connection/client.ts';
import { readDataVersions } from '../service/data-version-read.ts';
import { listAdditions } from './catalogue-entry.ts';

/** Keeps the catalogue of this process or thread in sync with the operators' additions. */
export interface CatalogueFollower {
  /** Checks the database for a new version of the catalogue and applies it. */
  follow(): Promise<void>;
  /** The same for a caller that has just read the version of the scope `catalogue`. */
  note(database: Pick<Database, 'sql'>, version: string): Promise<void>;
}

/**
 * Reads the additions from the primary whenever a database reports another version of them. After either function resolves, the
 * catalogue is at least as new as the version that the database reported at the call.
 *
 * @param log called with additions that this release's catalogue rejects
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
    // While the primary is unavailable, replicas serve with the previous catalogue.
    await (database === primary ? mine : turn);
  };
  return { note, follow: async () => note(primary, (await readDataVersions(primary.sql)).catalogue) };
}
