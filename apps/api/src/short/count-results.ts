import type { Finding } from '@inferboard/core/checks/check';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import type { ResultRow } from '@inferboard/db/boards/lists/row-types';

/** Maximum number of results in a short response about a submission: the length of a list page. */
export const resultsShownMax = 200;

/** The fields of a result that are counted. */
export interface CountedResult {
  /** Null if the result is not stored. */
  id: string | null;
  status: ResultStatus;
  system: string;
  findings: readonly Pick<Finding, 'code' | 'severity' | 'message'>[];
}

/** The counted fields of a stored result. */
export const toCounted = ({ id, status, system, findings }: ResultRow): CountedResult => ({
  ...{ id, status, system: system.id },
  findings: findings.map(({ code, severity, message }) => ({ code, severity, message })),
});

interface FindingKind {
  code: string;
  severity: Finding['severity'];
  /** Number of results with the finding. */
  results: number;
  /** The message of the first one. */
  message: string;
  result_id: string | null;
}

const severities: readonly Finding['severity'][] = ['violation', 'warning', 'info'];

/** Findings by code, the most serious first, without the unchecked ones. */
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

/** The summary that replaces the results in a short response about a submission. */
export function summarise(results: readonly CountedResult[]) {
  const statuses: Partial<Record<ResultStatus, number>> = {};
  for (const { status } of results) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    systems: new Set(results.map(({ system }) => system)).size,
    statuses,
    findings: countFindings(results),
  };
}
