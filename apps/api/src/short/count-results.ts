import type { Finding } from '@inferboard/core/checks/check';
import type { ResultStatus } from '@inferboard/core/result';
import type { ResultRow } from '@inferboard/db/queries/row-types';

/** Results that an answer about a submission holds at most, unless the whole is asked for: as many as a page of a list. */
export const resultsShownMax = 200;

/** What of a result is counted. */
export interface CountedResult {
  /** Null of one that is not stored. */
  id: string | null;
  status: ResultStatus;
  system: string;
  findings: readonly Pick<Finding, 'code' | 'severity' | 'message'>[];
}

/** What is counted of a stored result. */
export const toCounted = ({ id, status, system, findings }: ResultRow): CountedResult => ({
  ...{ id, status, system: system.id },
  findings: findings.map(({ code, severity, message }) => ({ code, severity, message })),
});

interface FindingKind {
  code: string;
  severity: Finding['severity'];
  /** Results that have it. */
  results: number;
  /** What it says of the first of them. */
  message: string;
  result_id: string | null;
}

const severities: readonly Finding['severity'][] = ['violation', 'warning', 'info'];

/** Findings of results by kind, the most serious first; unchecked ones are not among them. */
export function countFindings(results: readonly Pick<CountedResult, 'id' | 'findings'>[]): FindingKind[] {
  const kinds = new Map<string, FindingKind>();
  for (const { id, findings } of results) {
    const own = new Map(findings.map((finding) => [`${finding.severity} ${finding.code}`, finding]));
    for (const [key, { code, severity, message }] of own) {
      const kind = kinds.get(key);
      if (kind === undefined) kinds.set(key, { code, severity, results: 1, message, result_id: id });
      else kind.results += 1;
    }
  }
  return severities.flatMap((severity) =>
    [...kinds.values()].filter((kind) => kind.severity === severity).sort((a, b) => b.results - a.results),
  );
}

/** What a short answer about a submission says in the place of its results. */
export function summarise(results: readonly CountedResult[]) {
  const statuses: Partial<Record<ResultStatus, number>> = {};
  for (const { status } of results) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    systems: new Set(results.map(({ system }) => system)).size,
    statuses,
    findings: countFindings(results),
  };
}
