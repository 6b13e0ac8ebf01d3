import { readFile } from 'node:fs/promises';
import { type ImportItem, noParameters, type Publication, PublicationError, toLine } from './import-item.ts';

const isRow = (row: unknown): row is Record<string, unknown> => typeof row === 'object' && row !== null;

const nameOf = (row: Record<string, unknown>, index: number) =>
  [`row ${index + 1}:`, row.hardware, row.framework, row.precision, `${row.isl}/${row.osl}`, `c${row.conc}`, row.date]
    .filter((word) => word !== undefined)
    .join(' ');

/**
 * Reads rows of the InferenceX API from a JSON array in a file. Each row is a separate submission: a later file that repeats some
 * rows adds only the new ones.
 *
 * @throws PublicationError
 */
export async function readInferencexFile(file: string): Promise<Publication> {
  let rows: unknown;
  try {
    rows = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new PublicationError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(rows)) throw new PublicationError(`${file} has no array of rows.`);
  const named = rows.map((row: unknown, index): ImportItem | { name: string; reason: string } =>
    isRow(row)
      ? { name: nameOf(row, index), bytes: toLine(row), parameters: noParameters }
      : { name: `row ${index + 1}`, reason: 'It is not an object.' },
  );
  return {
    account: 'import-inferencex',
    items: named.filter((row) => 'bytes' in row),
    refused: named.filter((row) => 'reason' in row),
  };
}
