import { guarded } from '@inferboard/core/format/csv-text';

type Cell = string | number | null | undefined;

/** One cell of a CSV file. Text that a spreadsheet would run as a formula is escaped. */
export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = guarded(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows under a heading, as in RFC 4180. */
export function toCsv(heading: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** A CSV response. */
export function csvResponse(text: string, name: string): Response {
  return new Response(text, {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'x-content-type-options': 'nosniff',
    },
  });
}
