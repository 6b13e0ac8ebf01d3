import type { Fault } from '../../errors.ts';
import type { ParsedResult } from '../adapter.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** The error for a number at the end of a rejected artifact, if no line end or word follows it. */
export function unfinishedFaults({ unfinished }: ArtifactText): Fault[] {
  if (unfinished === null) return [];
  const message = `The artifact ends with a number on line ${unfinished}. The number may be incomplete, so it was ignored.`;
  return [
    {
      code: 'value_cut',
      line: unfinished,
      message,
      hint: 'If the number is complete, add a line end and send it again.',
    },
  ];
}

/** Adds the same message as a note to the last result, if the artifact was read without the number. */
export function withUnfinished<R extends ParsedResult>(results: R[], artifact: ArtifactText): R[] {
  const [fault] = unfinishedFaults(artifact);
  const last = results.at(-1);
  if (fault === undefined || last === undefined) return results;
  const message = `${fault.message} ${fault.hint}`;
  const note = { code: fault.code, severity: 'info' as const, message, evidence: { line: fault.line } };
  return results.with(-1, { ...last, notes: [...last.notes, note] });
}

const incomplete: Record<string, string> = {
  table_empty: 'report without figures',
  block_empty: 'report without figures',
  block_cut: 'incomplete report',
};

/**
 * Removes the errors if all are of reports without figures or reports that were cut off: a run that failed or was stopped.
 * Call it only if other reports have results; they do not depend on it. Returns the names for the list of ignored content.
 */
export function takeUnfinished(faults: Fault[]): string[] {
  if (!faults.every(({ code }) => Object.hasOwn(incomplete, code))) return [];
  return faults.splice(0).map(({ code, line }) => `${incomplete[code]} on line ${line}`);
}
