import { DomainError, type Fault } from '../../errors.ts';
import type { Adapter, Claim } from '../adapter.ts';
import { maxFaults } from '../errors.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findForeign } from './foreign.ts';
import { findNearestTool } from './nearest-tool.ts';
import { findUnread } from './unread.ts';

/** Output of programs that resemble ours, and pages of figures. Reading the rest of the artifact would drop a part silently. */
export function unreadFaults(artifact: ArtifactText): Fault[] {
  const unread = findUnread(artifact).map(({ line, title }) => ({
    code: 'tool_unsupported',
    line,
    message: `Line ${line} starts output of ${title}, which is not supported yet.`,
  }));
  // A recognised program is reported by name, not as an HTML page.
  if (unread.length > 0) return unread;
  const first = artifact.lines.findIndex((line) => line.trim() !== '');
  if (!/^\s{0,40}<(?:!doctype html|html)[\s>]/i.test(artifact.lineAt(first + 1))) return [];
  const page: Fault = {
    code: 'tool_unsupported',
    line: first + 1,
    message: `Line ${first + 1} starts an HTML page, which is not supported.`,
    hint: 'Send the text form: the JSON, CSV or console output that the tool wrote.',
  };
  return [page];
}

/**
 * JSON errors, except for a truncated array that an adapter supports, and for examples around printed reports. Among records
 * in JSON, a broken one is an error.
 */
export function brokenFaults(artifact: ArtifactText, claims: readonly { claim: Claim }[]): Fault[] {
  const isClaimed = (from: number) => claims.some(({ claim }) => claim.from <= from && from <= claim.to);
  const { broken, documents } = artifact.json;
  const isAround = claims.length > 0 && !documents.some(({ from }) => isClaimed(from));
  return broken.flatMap(({ code, line, message, cut, isExample }) => {
    const isHarmless = isExample === true && isAround && !isClaimed(line);
    return isHarmless || (cut !== undefined && isClaimed(cut.from)) ? [] : [{ code, line, message }];
  });
}

/** For figures of an unsupported tool, and for tables made by hand. */
const otherwise = {
  hint: 'If it is not from one of the tools below, write its figures in the native format: /docs/native has an example.',
};

/** Maximum length of quoted text. */
const longestQuote = 120;

/**
 * Rejects an artifact that no adapter claims, with `tool_unrecognised`: its kind if known, its beginning, and the format
 * that every adapter recognises. `broken` are its JSON errors; `chosen` is the adapter that `tool=` names.
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
  // For a known program, no nearest tool is suggested.
  const nearest = named.length > 0 ? null : findNearestTool(artifact, asked);
  const causes = nearest === null ? named : [nearest];
  const faults: Fault[] = [
    ...broken.slice(0, maxFaults),
    ...causes,
    {
      code: 'tool_unrecognised',
      line: index + 1,
      message: `The artifact begins with: ${quoted}`,
      ...(causes.length === 0 ? otherwise : {}),
    },
    ...wanted,
  ];
  const detail =
    chosen !== undefined
      ? `This is not output of ${chosen.title}.${nearest === null ? '' : ` ${nearest.message}`}`
      : (causes[0]?.message ?? 'No known tool was recognised in the artifact.');
  throw new DomainError('tool_unrecognised', detail, faults.slice(0, maxFaults + wanted.length));
}
