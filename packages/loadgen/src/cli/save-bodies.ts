import { appendFile, writeFile } from 'node:fs/promises';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { toRecordsError } from '../records/records-error.ts';

/**
 * Writes the bodies of measured requests to a file, one a line; null without a file. Both throw RecordsError.
 *
 * @param isResumed the file has the bodies of the measurement that continues, and they are kept
 */
export async function bodiesSaver(
  path: string | null,
  isResumed: boolean,
): Promise<((point: PlanPoint, bodies: readonly string[]) => Promise<void>) | null> {
  if (path === null) return null;
  const refuse = (error: unknown): never => {
    throw toRecordsError(path, error);
  };
  if (!isResumed) await writeFile(path, '').catch(refuse);
  return (_point, bodies) => appendFile(path, bodies.map((body) => `${body}\n`).join('')).catch(refuse);
}
