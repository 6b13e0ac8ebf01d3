import { formatCount, formatPlural } from '../../../lib/format.ts';
import type { BoardData } from './board-view.ts';

const published = 'published figures that the operator imported; each links to its source.';

/** How many rows of a board are published figures, on all pages. */
export function importedText({
  imported,
  isImportedAtLeast,
  total,
}: Pick<BoardData, 'imported' | 'isImportedAtLeast' | 'total'>): string {
  if (imported === 0) return 'No row of this board is an imported figure.';
  if (imported === total && imported > 1) return `All ${formatCount(imported)} rows of this board are ${published}`;
  if (imported === 1 && total === 1)
    return 'The row of this board is a published figure that the operator imported; it links to its source.';
  const rows = `${isImportedAtLeast ? 'At least ' : ''}${formatCount(imported)}`;
  const of =
    total === null || isImportedAtLeast
      ? formatPlural(imported, 'row').replace(/^\S+/u, rows)
      : `${rows} of the ${formatPlural(total, 'row')}`;
  return imported === 1
    ? `${of} of this board is a published figure that the operator imported; it links to its source.`
    : `${of} of this board are ${published}`;
}
