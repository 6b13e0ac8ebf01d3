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

/**
 * Removes the errors if all are of a header or a banner without a figure: a run that failed or was cut off. Nothing of it is
 * lost if the artifact has other results. Returns the names for the list of ignored content.
 */
export function takeEmptyReports(faults: Fault[]): string[] {
  if (!faults.every(({ code }) => code === 'table_empty' || code === 'block_empty')) return [];
  return faults.splice(0).map(({ line }) => `report without figures on line ${line}`);
}
