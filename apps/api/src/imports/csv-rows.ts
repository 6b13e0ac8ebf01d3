import { readCsv } from '@inferboard/core/adapters/reading/tables/csv';
import { toArtifactText } from '@inferboard/core/adapters/reading/text/artifact-text';
import { PublicationError } from './import-item.ts';

/** A table row by column name, with trimmed values. */
export interface CsvRow {
  line: number;
  cells: ReadonlyMap<string, string>;
}

/**
 * Rows of a CSV table with one header. Empty lines and lines that begin with # are skipped.
 *
 * @throws PublicationError if a row does not match the header
 */
export function readRows(bytes: Uint8Array, file: string): CsvRow[] {
  const artifact = toArtifactText(bytes);
  const records = [];
  for (let line = 1; line <= artifact.lines.length; ) {
    const text = artifact.lineAt(line).trim();
    if (text === '' || text.startsWith('#')) line += 1;
    else {
      const block = readCsv(artifact, line, (next) => next.startsWith('#'));
      records.push(...block);
      line = (block.at(-1)?.to ?? line) + 1;
    }
  }
  const [heading, ...rows] = records;
  if (heading === undefined) throw new PublicationError(`${file} is empty.`);
  const names = heading.cells.map((cell) => cell.trim());
  return rows.map(({ cells, line }) => {
    if (cells.length !== names.length) {
      const message = `Line ${line} of ${file} has ${cells.length} cells, but the header has ${names.length}.`;
      throw new PublicationError(message);
    }
    return { line, cells: new Map(names.map((name, at) => [name, (cells[at] ?? '').trim()])) };
  });
}
