/** Rows under headings in columns of equal width; what is null is a dash. `right` names columns of numbers. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  right: readonly string[] = [],
): string {
  const cells = [headings, ...rows].map((row) => headings.map((_, at) => row[at] ?? '-'));
  const widths = headings.map((_, at) => Math.max(...cells.map((row) => [...(row[at] ?? '')].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - [...cell].length);
        return right.includes(headings[at] ?? '') ? `${space}${cell}` : `${cell}${space}`;
      })
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}
