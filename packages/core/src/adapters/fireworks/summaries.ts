import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** The summary of one run. Lines are 1-based and inclusive. */
export interface Summary {
  from: number;
  to: number;
  rows: Map<string, SummaryRow>;
  /** Rows whose label has another value above. */
  repeated: (SummaryRow & { label: string })[];
}

interface SummaryRow {
  value: string;
  line: number;
}

const banner = /^\s{0,8}={10,60} Summary ={10,60}\s*$/;
const closing = /^\s{0,8}={40,120}\s*$/;
const labelled = /^\s{0,8}([A-Z][A-Za-z ]{2,40}?)\s{0,30}:(?: (\S.{0,200}?))?\s*$/;
const maxRows = 40;

/** All complete summaries in order of appearance. */
export const findSummaries = cachedPerArtifact((artifact): Summary[] => {
  const all: Summary[] = [];
  for (const from of artifact.linesWith('= Summary =')) {
    if (!banner.test(artifact.lineAt(from))) continue;
    const rows: Summary['rows'] = new Map();
    const repeated: Summary['repeated'] = [];
    let to = from + 1;
    for (; to <= from + maxRows && !closing.test(artifact.lineAt(to)); to++) {
      const [, label, value = ''] = labelled.exec(artifact.lineAt(to)) ?? [];
      if (label === undefined) continue;
      const before = rows.get(label);
      if (before === undefined) rows.set(label, { value, line: to });
      else if (before.value !== value) repeated.push({ label, value, line: to });
    }
    // The summary ends with a rule. Without it the last figure may be cut.
    if (to <= from + maxRows && ['Provider', 'Total Latency', 'Qps'].every((label) => rows.has(label)))
      all.push({ from, to, rows, repeated });
  }
  return all;
});
