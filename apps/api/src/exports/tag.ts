import { createHash } from 'node:crypto';
import { readDataVersions } from '@inferboard/db/service/data-version-read';
import type { Deps } from '../deps.ts';
import { cacheKey } from '../response-cache/cache-key.ts';

/**
 * The tag of a file before it is built: from its URL, the data and the prices. It is weak, because each file also contains its
 * creation time.
 */
export async function exportTag({ database, prices }: Deps, url: string): Promise<string> {
  const { results, catalogue } = await readDataVersions(database.sql);
  const { list, origin } = await prices(database.reads.db);
  const contents = JSON.stringify([
    cacheKey(url),
    results,
    catalogue,
    origin,
    list.asOf,
    list.gpus.map(({ usdPerHour }) => usdPerHour),
  ]);
  return `W/"${createHash('sha256').update(contents).digest('hex').slice(0, 32)}"`;
}
