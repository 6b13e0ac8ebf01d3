import { metricNames } from '@inferboard/core/metrics/index';
import type { CheckedResult, ResultStatus } from '@inferboard/core/result';
import { and, eq } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import { toContribution } from '../point-statistics/standing.ts';
import { type Row, toResultRow } from '../rows.ts';
import { artifacts, findings as findingTable, results as resultTable, submissions } from '../schema/index.ts';
import { type Transaction, transact } from '../transaction.ts';
import { lockArtifact } from './artifact-lock.ts';
import { copiedFinding, type FirstResult, findFirstResults, placeKey } from './first-result-find.ts';
import { type Addition, addToPointStatistics } from './point-statistics-refresh.ts';
import { type Place, upsertPoints } from './point-upsert.ts';
import { type ReferringRow, withFacts } from './result-list.ts';
import type { ResultRow } from './row-types.ts';

/** Everything that one upload stores. */
export interface NewSubmission {
  accountId: string;
  artifact: { sha256: string; bytes: Uint8Array; mediaType: string };
  /** SHA-256 over bytes and metadata. */
  fingerprint: string;
  tool: { name: string; version: string | null };
  parameters: Record<string, unknown>;
  ignored: string[];
  notes: string | null;
  sourceUrl: string | null;
  status: ResultStatus;
  results: CheckedResult[];
}

export interface StoredSubmission {
  id: string;
  duplicate: boolean;
  /** In the order of the artifact, as a query would give them; null of a duplicate, whose results are those of the first. */
  results: ResultRow[] | null;
}

export const resultColumns = [
  'id',
  'submission_id',
  'ordinal',
  'point_id',
  'status',
  'copy_of',
  'trust',
  'origin',
  'tool',
  'tool_version',
  'repetition',
  'definitions',
  'derived',
  'repeats',
  'limits',
  'certificates',
  'ranges',
  'extra',
  'passed',
  'unchecked',
  'line_from',
  'line_to',
  'measured_at',
  ...metricNames,
];

/**
 * Stores results and findings; answers them by point and status, as the statistics take them in, and as rows. `storing` is
 * under way meanwhile.
 */
function insertResults(
  tx: Transaction,
  submission: { id: string; createdAt: string },
  results: CheckedResult[],
  places: readonly Place[],
  firsts: ReadonlyMap<string, FirstResult>,
): { additions: Addition[]; stored: ReferringRow[]; storing: Promise<unknown> } {
  const additions = new Map<string, Addition>();
  const rows: Row[] = [];
  const findings: Row[] = [];
  const referring: ReferringRow[] = [];
  for (const [ordinal, result] of results.entries()) {
    const place = places[ordinal];
    if (place === undefined) throw new Error(`result ${ordinal} has no point`);
    const { id: pointId, system_id: system, scenario_id: scenario, ...load } = place;
    const first = firsts.get(placeKey(ordinal, pointId));
    const remarked = first === undefined ? result : { ...result, findings: [...result.findings, copiedFinding(first)] };
    const stored = toResultRow(remarked, { submissionId: submission.id, ordinal, pointId, copyOf: first?.id ?? null });
    rows.push(stored.row);
    findings.push(...stored.findings);
    const spoken = stored.findings.map(({ result_id: _, ordinal: __, ...finding }) => finding);
    const row = { ...stored.row, ...load, system, scenario, findings: spoken, created_at: submission.createdAt };
    referring.push(row as unknown as ReferringRow);
    if (first !== undefined) continue;
    const key = `${pointId} ${result.status}`;
    const addition = additions.get(key) ?? { results: [], findings: 0, warnings: 0 };
    additions.set(key, addition);
    addition.results.push(toContribution(result, { id: stored.row.id, pointId }));
    addition.findings += stored.findings.length;
    addition.warnings += stored.findings.filter((finding) => finding.severity !== 'info').length;
  }
  const storing = Promise.all([insertRows(tx, resultTable, rows), insertRows(tx, findingTable, findings)]);
  return { additions: [...additions.values()], stored: referring, storing };
}

async function storeSubmission(tx: Transaction, input: NewSubmission): Promise<StoredSubmission> {
  const { sha256, bytes, mediaType } = input.artifact;
  const id = createId('sub');
  const fresh = await tx
    .insert(artifacts)
    .values({ sha256, bytes, size: bytes.length, mediaType })
    .onConflictDoNothing()
    .returning({ sha256: artifacts.sha256 });
  if (fresh.length === 0) await lockArtifact(tx, sha256);
  const inserted = await tx
    .insert(submissions)
    .values({
      id,
      accountId: input.accountId,
      artifactSha256: sha256,
      fingerprint: input.fingerprint,
      status: input.status,
      tool: input.tool.name,
      toolVersion: input.tool.version,
      parameters: input.parameters,
      ignored: input.ignored,
      notes: input.notes,
      sourceUrl: input.sourceUrl,
    })
    // Waits for a simultaneous twin to commit, and then gives way to it.
    .onConflictDoNothing()
    .returning({ createdAt: submissions.createdAt });
  const [{ createdAt } = { createdAt: null }] = inserted;
  if (createdAt === null) {
    const [first] = await tx
      .select({ id: submissions.id })
      .from(submissions)
      .where(and(eq(submissions.accountId, input.accountId), eq(submissions.fingerprint, input.fingerprint)));
    if (first === undefined) throw new Error('a conflicting submission vanished');
    return { id: first.id, duplicate: true, results: null };
  }
  const { places, created } = await upsertPoints(tx, input.results);
  const firsts =
    fresh.length > 0
      ? new Map<string, FirstResult>()
      : await findFirstResults(tx, { sha256, accountId: input.accountId, submissionId: id });
  const { additions, stored, storing } = insertResults(tx, { id, createdAt }, input.results, places, firsts);
  await Promise.all([storing, addToPointStatistics(tx, id, additions, created)]);
  return { id, duplicate: false, results: await withFacts(tx, stored) };
}

/**
 * Stores an upload with its bytes, results, findings and the statistics of every point it touches in one transaction:
 * all of it is there after the commit, or none. The same bytes and metadata from the same account are stored once;
 * `duplicate` then says so and `id` is the first one's. `whenStored` belongs to the transaction.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
  whenStored?: (tx: Transaction, stored: StoredSubmission) => Promise<void>,
): Promise<StoredSubmission> {
  return transact(db, async (tx) => {
    const stored = await storeSubmission(tx, input);
    await whenStored?.(tx, stored);
    return stored;
  });
}
