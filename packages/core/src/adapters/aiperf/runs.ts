import type { Fault } from '../../errors.ts';
import { type Claim, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { noteIgnored } from '../plain-facts.ts';
import type { CommandLine } from '../reading/context/command-line.ts';
import { within } from '../reading/documents/json-records.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { takeUnfinished } from '../refusals/unfinished.ts';
import { findPerfBoxes, type PerfBox } from './box.ts';
import { findFolder, findPerfCommand, type PerfProgram, toCommandContext } from './command.ts';
import { checkFigures, type PerfFigures, toPerfFigures } from './figures.ts';
import type { PerfContext } from './result.ts';
import { headerStart, type PerfTable, readPerfTable, toHeader } from './table.ts';

/** Lines that describe one or more runs. Lines are 1-based and inclusive. */
export interface Run {
  from: number;
  to: number;
  /** Throws `ArtifactError`. */
  read(): { results: ParsedResult[]; version: string | null; ignored: Iterable<string> };
}

/** Number of lines below a box in which the program lists the saved files. */
const trailerLines = 40;

/** Figures of a table or a box. Read errors come first. */
export function figuresOf({ faults, statistics, from }: PerfTable | PerfBox): PerfFigures {
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  const found = toPerfFigures(statistics, from);
  checkFigures(found.figures);
  return found;
}

/** The text between two lines, exclusive: the command of a run and its output folder. */
export interface Around {
  after: number;
  before: number;
}

/** Facts of a run from the text around its figures. A closer command takes precedence over a folder name. */
export function contextAround(
  artifact: ArtifactText,
  program: PerfProgram,
  { from, to }: { from: number; to: number },
  { after, before }: Around,
  { metrics }: PerfFigures['figures'],
  printed: CommandLine | null = null,
): PerfContext {
  const last = Math.min(before - 1, to + trailerLines);
  const command = printed ?? findPerfCommand(artifact, after + 1, from - 1, program);
  const place = findFolder(artifact, after + 1, from - 1) ?? findFolder(artifact, to + 1, last);
  return toCommandContext(command, place, metrics);
}

/** Runs of a program from their CSV, in order. `isOurs` reports whether a header belongs to the program. */
export function tableRuns(
  artifact: ArtifactText,
  isOurs: (columns: readonly string[]) => boolean,
  toRun: (table: PerfTable, around: Around) => Run['read'],
): Run[] {
  const headers = artifact.linesWith(headerStart).filter((line) => {
    const columns = toHeader(artifact.lineAt(line));
    return columns !== null && isOurs(columns);
  });
  let after = 0;
  return headers.flatMap((header, index): Run[] => {
    if (header <= after) return [];
    const table = readPerfTable(artifact, header);
    const around = { after, before: headers[index + 1] ?? artifact.lines.length + 1 };
    after = table.to;
    return [{ from: table.from, to: table.to, read: toRun(table, around) }];
  });
}

/** Runs of a program from their boxes, in order. */
export function boxRuns(
  artifact: ArtifactText,
  program: PerfProgram,
  toRun: (box: PerfBox, around: Around) => Run,
): Run[] {
  const boxes = findPerfBoxes(artifact);
  let after = 0;
  return boxes.flatMap((box, index): Run[] => {
    const around = { after, before: boxes[index + 1]?.from ?? artifact.lines.length + 1 };
    const run = box.program === program ? toRun(box, around) : null;
    after = run?.to ?? box.to;
    return run === null ? [] : [run];
  });
}

/** Reads the runs of a claim; next to others, a cut one is ignored. Throws `ArtifactError` with the errors of all runs. */
export function readRuns(name: string, runs: readonly Run[], claim: Claim): Reading {
  const claimed = within(runs, claim);
  if (claimed.length > maxResults) throw tooManyResults(claim.from);
  const results: ParsedResult[] = [];
  const faults: Fault[] = [];
  const ignored = new Set<string>();
  let version: string | null = null;
  for (const run of claimed) {
    if (faults.length >= maxFaults) break;
    try {
      const read = run.read();
      for (const result of read.results) results.push(result);
      version ??= read.version;
      for (const each of read.ignored) ignored.add(each);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (results.length > maxResults) throw tooManyResults(claim.from);
  if (results.length > 0) for (const run of takeUnfinished(faults)) ignored.add(run);
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool: { name, version }, results, ignored: noteIgnored(ignored), ...noRemarks };
}
