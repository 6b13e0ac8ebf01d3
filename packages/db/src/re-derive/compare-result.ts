import type { Finding } from '@inferboard/core/checks/check';
import { isHeldForLater } from '@inferboard/core/concerns';
import { metricNames } from '@inferboard/core/metrics/index';
import { loadKey } from '@inferboard/core/subjects/load';
import type { CheckedResult, ResultStatus } from '@inferboard/core/subjects/result';
import { scenarioKey } from '@inferboard/core/subjects/scenario';
import { type Change, eventFindingCodes } from '@inferboard/core/submission/re-derived';
import { type Row, resultFacts, toResultRow, toSystemRow } from '../connection/rows.ts';

/** A result row with the facts of its point. */
export interface StoredResult extends Row {
  id: string;
  submission_id: string;
  account_id: string;
  ordinal: number;
  point_id: number;
  status: ResultStatus;
  own_trust: string;
  copy_of: string | null;
  findings: Finding[];
  system_id: string;
  system_label: string;
  scenario_key: string;
  load_key: string;
  kind: string;
}

/** Findings that do not come from reading the artifact. */
const isEventFinding = ({ code }: Finding) => eventFindingCodes.includes(code) || code === 'copied_artifact';

/** Columns that identify the result, depend on other results, or are compared below. */
const skipped = new Set([
  'id',
  'submission_id',
  'ordinal',
  'point_id',
  'copy_of',
  'copy_reason',
  'origin',
  'trust',
  'own_trust',
  'status',
  'findings',
  'measured_at',
]);
const compared = [...resultFacts, ...metricNames].filter((column) => !skipped.has(column));

/** Fields whose changes do not affect the displayed figures: findings, checks and line numbers. */
const quiet = new Set(['findings', 'passed', 'unchecked', 'line_from', 'line_to', 'extra']);

/** Whether a result's figures, facts or status changed, and not only the findings' texts. */
export const isReported = (changes: readonly Change[]): boolean => changes.some(({ field }) => !quiet.has(field));

/** Canonical text of a value, regardless of the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

const instantOf = (text: unknown) => (typeof text === 'string' ? new Date(text).toISOString() : null);

function findingsOf(findings: readonly Finding[]): unknown {
  return findings.filter((finding) => !isEventFinding(finding) && finding.severity !== 'unchecked');
}

/**
 * The status of a re-read result. Results that an admin accepted stay accepted, retracted ones stay retracted, and those
 * excluded by an upheld concern stay excluded.
 */
export function statusToday(stored: StoredResult, read: CheckedResult, isCleared: boolean): ResultStatus {
  if (stored.status === 'retracted') return 'retracted';
  if (stored.status === 'quarantined' && isHeldForLater(stored.findings)) return 'quarantined';
  if (!isCleared || read.status !== 'quarantined') return read.status;
  const known = new Set(stored.findings.map(({ code }) => code));
  return read.findings.every(({ code, severity }) => severity !== 'violation' || known.has(code))
    ? 'accepted'
    : 'quarantined';
}

/** Compares a result with its re-read version, field by field, facts of the point first. `read` already has status and trust. */
export function compareResult(stored: StoredResult, read: CheckedResult): Change[] {
  const row = toResultRow(read, {
    ...{ submissionId: stored.submission_id, accountId: stored.account_id },
    ...{ ordinal: stored.ordinal, pointId: stored.point_id, copyOf: null, copyReason: null },
  });
  const system = toSystemRow(read.system);
  const pairs: [field: string, old: unknown, now: unknown][] = [
    ['kind', stored.kind, read.kind],
    ['scenario', stored.scenario_key, scenarioKey(read.scenario)],
    ['load', stored.load_key, loadKey(read.load)],
    ['status', stored.status, read.status],
    ['own_trust', stored.own_trust, row.own_trust],
    ['measured_at', instantOf(stored.measured_at), instantOf(row.measured_at)],
    ...compared.map((column): [string, unknown, unknown] => [column, stored[column] ?? null, row[column] ?? null]),
    ['findings', findingsOf(stored.findings), findingsOf(row.findings)],
  ];
  const changes = pairs
    .filter(([, old, now]) => canonical(old) !== canonical(now))
    .map(([field, old, now]): Change => ({ field, old, new: now }));
  if (stored.system_id === system.id) return changes;
  return [{ field: 'system', old: stored.system_label, new: system.label }, ...changes];
}
