import { DomainError, type Fault } from '../../errors.ts';
import type { Adapter, Claim } from '../adapter.ts';
import { maxFaults } from '../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findForeign } from './foreign.ts';
import { findNearestTool } from './nearest-tool.ts';
import { findUnread } from './unread.ts';

/**
 * Output of programs that look like ours, and pages made of figures: reading the rest of the artifact would drop a part in
 * silence.
 */
export function unreadFaults(artifact: ArtifactText): Fault[] {
  const unread = findUnread(artifact).map(({ line, title }) => ({
    code: 'tool_unsupported',
    line,
    message: `Line ${line} begins output of ${title}, which is not read yet.`,
  }));
  // A program's own page was named already.
  if (unread.length > 0) return unread;
  const first = artifact.lines.findIndex((line) => line.trim() !== '');
  if (!/^\s{0,40}<(?:!doctype html|html)[\s>]/i.test(artifact.lineAt(first + 1))) return [];
  const page: Fault = {
    code: 'tool_unsupported',
    line: first + 1,
    message: `Line ${first + 1} begins a page in HTML, and figures in a page are not read.`,
    hint: 'Send the text form: the JSON, CSV or console output that the tool wrote.',
  };
  return [page];
}

/** Breaks of JSON, but for an array whose cut end an adapter takes into account. */
export function brokenFaults(artifact: ArtifactText, claims: readonly { claim: Claim }[]): Fault[] {
  const isClaimed = (from: number) => claims.some(({ claim }) => claim.from <= from && from <= claim.to);
  return artifact.json.broken.flatMap(({ code, line, message, cut }) =>
    cut !== undefined && isClaimed(cut.from) ? [] : [{ code, line, message }],
  );
}

/** Text is quoted at most so far. */
const longestQuote = 120;

/**
 * Refuses an artifact that no adapter claims, with `tool_unrecognised`: what it is, if that is known, how it begins, and
 * what every adapter looks for. `broken` are its breaks of JSON; `chosen` is the adapter that `tool=` named.
 */
export function refuseUnrecognised(
  artifact: ArtifactText,
  asked: readonly Adapter[],
  broken: readonly Fault[],
  chosen: Adapter | undefined,
): never {
  const index = artifact.lines.findIndex((line) => line.trim() !== '');
  const quoted = artifact
    .lineAt(index + 1)
    .trim()
    .slice(0, longestQuote);
  const wanted = asked
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((adapter) => ({
      code: 'tool_not_found',
      message: `${adapter.title}: ${adapter.recognises}.`,
      hint: adapter.command,
    }));
  const foreign = findForeign(artifact);
  const named = [...unreadFaults(artifact), ...(foreign === null ? [] : [foreign])];
  // Of a program that is known by name nothing else is near.
  const nearest = named.length > 0 ? null : findNearestTool(artifact, asked);
  const told = nearest === null ? named : [nearest];
  const faults: Fault[] = [
    ...broken.slice(0, maxFaults),
    ...told,
    { code: 'tool_unrecognised', line: index + 1, message: `The artifact begins with: ${quoted}` },
    ...wanted,
  ];
  const detail =
    chosen !== undefined
      ? `This is no output of ${chosen.title}.${nearest === null ? '' : ` ${nearest.message}`}`
      : (told[0]?.message ?? 'No known tool was recognised in the artifact.');
  throw new DomainError('tool_unrecognised', detail, faults.slice(0, maxFaults + wanted.length));
}
