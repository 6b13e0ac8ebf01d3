import type { Fault } from '../../errors.ts';
import type { ParsedResult } from '../adapter.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';

/** What is said of a number that ends an artifact: none where a line end or a word follows. As a fault of a refusal. */
export function unfinishedFaults({ unfinished }: ArtifactText): Fault[] {
  if (unfinished === null) return [];
  const message = `The artifact ends with a number on line ${unfinished}. The number may be cut, so it was not read.`;
  return [
    { code: 'value_cut', line: unfinished, message, hint: 'If the number is whole, end the line and send it again.' },
  ];
}

/** Adds the same to the last result, where the artifact was read without the number. */
export function withUnfinished<R extends ParsedResult>(results: R[], artifact: ArtifactText): R[] {
  const [fault] = unfinishedFaults(artifact);
  const last = results.at(-1);
  if (fault === undefined || last === undefined) return results;
  const message = `${fault.message} ${fault.hint}`;
  const note = { code: fault.code, severity: 'info' as const, message, evidence: { line: fault.line } };
  return results.with(-1, { ...last, notes: [...last.notes, note] });
}
