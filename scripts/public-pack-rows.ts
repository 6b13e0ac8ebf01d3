/** A row of InferenceX's API, with the fields for selecting rows. */
export interface InferencexRow extends Record<string, unknown> {
  date: string;
}

/** Fields that do not distinguish configurations. */
const ofTheRun = new Set(['metrics', 'date', 'run_url', 'image', 'workers']);

const configurationOf = (row: InferencexRow) =>
  JSON.stringify(
    Object.entries(row)
      .filter(([name]) => !ofTheRun.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * The latest row of each configuration, plus two kinds of older rows: the latest of discontinued configurations, and the first of
 * each configuration that was measured on several days.
 */
export function chooseRows(latest: readonly InferencexRow[], history: readonly InferencexRow[]): InferencexRow[] {
  const current = new Map(latest.map((row) => [configurationOf(row), row]));
  const past = Map.groupBy(history, configurationOf);
  const added = [...past].flatMap(([configuration, rows]) => {
    const sorted = rows.toSorted((a, b) => (a.date < b.date ? -1 : 1));
    const newest = current.get(configuration) ?? sorted.at(-1);
    const [first] = sorted;
    const isOlder = first !== undefined && first.date !== newest?.date;
    return [...(current.has(configuration) ? [] : sorted.slice(-1)), ...(isOlder ? [first] : [])];
  });
  return [...latest, ...added];
}
