/** Formats rows as columns as wide as their widest cell; columns in `right` are right-aligned. */
export function layOut(rows: readonly (readonly string[])[], right: ReadonlySet<number>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    right.has(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
