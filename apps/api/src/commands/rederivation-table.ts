import type { Change } from '@inferboard/core/submission/re-derived';
import type { ChangedResult } from '@inferboard/db/re-derive/rederive-submission';
import { layOut } from './columns-of-text.ts';

/** The changes of one field, over all results. */
interface FieldTally {
  field: string;
  results: number;
  submissions: number;
  /** The first change found, with its location. */
  example: Change;
  submissionId: string;
}

/** Counts the changes of a re-derivation by field, for any number of results. */
export interface RederivationTally {
  add(submissionId: string, results: readonly ChangedResult[]): void;
  addUnreadable(submissionId: string, reason: string): void;
  /** The printable table. */
  toText(): string;
}

const widthMax = 32;

function shown(value: unknown): string {
  const text = value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > widthMax ? `${text.slice(0, widthMax - 1)}…` : text;
}

/** Findings by code, because their messages are long. */
function reportedOf({ field, old, new: now }: Change): string {
  if (field !== 'findings') return `${shown(old)} → ${shown(now)}`;
  const codes = (value: unknown) =>
    Array.isArray(value)
      ? value
          .map(({ code }) => code)
          .sort()
          .join(',') || 'none'
      : '-';
  const [before, after] = [codes(old), codes(now)];
  return before === after ? `${shown(before)}, with different words or figures` : `${shown(before)} → ${shown(after)}`;
}

export function createTally(): RederivationTally {
  const fields = new Map<string, FieldTally>();
  const reasons = new Map<string, { count: number; submissionId: string }>();
  const submissionsOf = new Map<string, string>();
  return {
    add(submissionId, results) {
      for (const { changes } of results) {
        for (const change of changes) {
          const { field } = change;
          const tally = fields.get(field) ?? { field, results: 0, submissions: 0, example: change, submissionId };
          fields.set(field, tally);
          tally.results += 1;
          // Results of a submission are consecutive.
          if (submissionsOf.get(field) !== submissionId) tally.submissions += 1;
          submissionsOf.set(field, submissionId);
        }
      }
    },
    addUnreadable(submissionId, reason) {
      const known = reasons.get(reason) ?? { count: 0, submissionId };
      reasons.set(reason, { ...known, count: known.count + 1 });
    },
    toText() {
      const rows = [...fields.values()]
        .sort((a, b) => b.results - a.results || (a.field < b.field ? -1 : 1))
        .map(({ field, results, submissions, example, submissionId }) => [
          field,
          String(results),
          String(submissions),
          reportedOf(example),
          submissionId,
        ]);
      const table = [['field', 'results', 'submissions', 'old → new, the first', 'of'], ...rows];
      const left = [...reasons].map(
        ([reason, { count, submissionId }]) => `${count} unchanged: ${reason} (${submissionId})`,
      );
      return [rows.length === 0 ? 'No changes.' : layOut(table, new Set([1, 2])), ...left].join('\n');
    },
  };
}
