import type { Fault } from '../../errors.ts';
import { type GridRow, gridEnd, gridRule, piped, readGrid } from '../reading/tables/grid.ts';
import { readRow } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** A grid printed by `ais_bench`: statistics of requests, or figures of the whole run. */
interface Grid {
  from: number;
  to: number;
  columns: string[];
  rows: GridRow[];
  faults: Fault[];
}

/** The output of one run. Lines are 1-based and inclusive. */
export interface AisTables {
  from: number;
  to: number;
  /** Statistics of the requests; null if the paste does not include them. */
  requests: Grid | null;
  /** Figures of the whole run; null if the paste does not include them. */
  common: Grid | null;
}

const requestTitle = 'Performance Parameters';
const commonTitle = 'Common Metric';
/** Lines between the two grids of one run. */
const maxGap = 6;

const isHeader = ([first = '', second = '', ...rest]: readonly string[]) =>
  second === 'Stage' &&
  ((first === requestTitle && rest[0] === 'Average' && rest.at(-1) === 'N') ||
    (first === commonTitle && rest.length === 1 && rest[0] === 'Value'));

function readOne(artifact: ArtifactText, line: number): Grid | null {
  const header = readRow(piped(artifact), line, isHeader);
  if (header === null) return null;
  const faults: Fault[] = [];
  const rows = readGrid(artifact, header.to + 1, header.cells.length, faults);
  if (rows.length === 0) return null;
  const from = gridRule.test(artifact.lineAt(line - 1)) ? line - 1 : line;
  return { from, to: gridEnd(artifact, rows, header.to), columns: header.cells, rows, faults };
}

/** All runs in order of appearance: the grid of requests followed by the grid of the whole run, or either alone. */
export const findAisTables = cachedPerArtifact((artifact): AisTables[] => {
  const found: AisTables[] = [];
  for (const line of artifact.linesWith(requestTitle, commonTitle)) {
    const last = found.at(-1);
    if (line <= (last?.to ?? 0) || artifact.lineAt(line).length > 2000) continue;
    const grid = readOne(artifact, line);
    if (grid === null) continue;
    const { from, to } = grid;
    if (grid.columns[0] === requestTitle) found.push({ from, to, requests: grid, common: null });
    else if (last !== undefined && last.common === null && from <= last.to + maxGap) {
      last.common = grid;
      last.to = to;
    } else found.push({ from, to, requests: null, common: grid });
  }
  return found;
});
