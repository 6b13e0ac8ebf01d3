import { builtInPrices, type PriceList, parsePriceList } from '@inferboard/core/prices/price-list';
import { findPriceList } from '@inferboard/db/catalogue/price-list';
import type { Queryable } from '@inferboard/db/connection/transaction';
import type { Log } from '@inferboard/telemetry/log';

/** The source of the price list in use: this release, the file set in `PRICES`, or an admin. */
export const priceOrigins = ['built_in', 'file', 'admin'] as const;

/** The price list that costs are computed from. */
export interface PricesInUse {
  list: PriceList;
  origin: (typeof priceOrigins)[number];
  /** When an admin set it; null for the configured list. */
  setAt: string | null;
}

/** Reads the price list in use from a database, so that all processes use the same one. */
export type PriceReader = (db: Queryable) => Promise<PricesInUse>;

/** @param configured the list to use if no admin has set one */
export function createPriceReader(configured: PriceList, log: Log): PriceReader {
  const fromConfiguration: PricesInUse = {
    ...{ list: configured, origin: configured === builtInPrices ? 'built_in' : 'file', setAt: null },
  };
  // GPU names are resolved once per list.
  let last: { id: number; inUse: PricesInUse } | null = null;
  return async (db) => {
    const stored = await findPriceList(db);
    if (stored === null) return fromConfiguration;
    const { id, content, createdAt } = stored;
    if (last?.id === id) return last.inUse;
    const read = parsePriceList(content);
    if ('faults' in read)
      // An earlier release stored the list, and the catalogue has changed since.
      log('error', 'The price list set by an admin cannot be read. The configured list is used.', {
        faults: read.faults.map(({ path, message }) => `${path.join('.')}: ${message}`),
      });
    const inUse: PricesInUse =
      'faults' in read
        ? fromConfiguration
        : { list: read.list, origin: 'admin', setAt: new Date(createdAt).toISOString() };
    last = { id, inUse };
    return inUse;
  };
}
