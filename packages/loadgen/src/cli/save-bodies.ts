import { appendFile, writeFile } from 'node:fs/promises';
import type { PlanPoint } from '@inferboard/core/plans/point';

/** Writes the bodies of measured requests to a file, one a line; null without a file. */
export async function bodiesSaver(
  path: string | null,
): Promise<((point: PlanPoint, bodies: readonly string[]) => Promise<void>) | null> {
  if (path === null) return null;
  await writeFile(path, '');
  return (_point, bodies) => appendFile(path, bodies.map((body) => `${body}\n`).join(''));
}
