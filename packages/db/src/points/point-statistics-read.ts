import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { bigints, idArray } from '../copy/bulk.ts';
import { readClaim } from '../point-statistics/claim-rows.ts';
import type { ClaimKey, ClaimSummary, Doubts } from '../point-statistics/claim-summary.ts';
import type { Contribution } from '../point-statistics/contribution.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import { metricArray, readMetrics } from './stated-figures.ts';

/** Approximate maximum of results per statement. Larger claims are read in parts. */
export const readMax = 20_000;

/** A claim with its number of stored results. */
export interface StoredClaim extends ClaimKey {
  stored: number;
}

/** New results of one claim, with their findings. */
export interface Addition extends Doubts {
  results: Contribution[];
}

export const claimKey = ({ pointId, status, account, ownTrust }: ClaimKey) =>
  `${pointId} ${status} ${account} ${ownTrust}`;

/** Runs one statement per status and account, so that `= any` over their ids always uses an index. */
export async function perAccount<T>(
  tx: Transaction,
  claims: readonly ClaimKey[],
  statement: (at: (table: SQL) => SQL) => SQL,
): Promise<T[]> {
  const rows: T[] = [];
  const groups = Map.groupBy(claims, ({ status, account, ownTrust }) => JSON.stringify([status, account, ownTrust]));
  for (const of of groups.values()) {
    const [{ status, account, ownTrust } = { status: '', account: '', ownTrust: '' }] = of;
    const ids = bigints(of.map(({ pointId }) => pointId));
    const at = (table: SQL) => sql`
      ${table}.point_id = any(${ids}) and ${table}.status = ${status} and ${table}.account_id = ${account}
        and ${table}.own_trust = ${ownTrust}`;
    rows.push(...((await tx.execute(statement(at))) as unknown as T[]));
  }
  return rows;
}

/** Groups claims whose results together fit one statement; a larger claim is alone. */
export function batches(claims: readonly StoredClaim[]): StoredClaim[][] {
  const all: StoredClaim[][] = [];
  let room = 0;
  for (const claim of claims) {
    const last = all.at(-1);
    if (last !== undefined && claim.stored <= room) last.push(claim);
    else {
      all.push([claim]);
      room = readMax;
    }
    room -= claim.stored;
  }
  return all;
}

interface StoredContribution extends Omit<Contribution, 'pointId' | 'values' | 'repeats'>, Doubts {
  point_id: string;
  repeats: Contribution['repeats'];
  values: (number | null)[];
}

/** A part of a claim's results: at most `most` after an id, or the newest ones. */
export type Part = { after: string; most: number } | { newest: number };

function rangeOf(part: Part | undefined): { later: SQL; order: SQL } {
  if (part === undefined) return { later: sql`true`, order: sql`order by r.id` };
  return 'newest' in part
    ? { later: sql`true`, order: sql`order by r.id desc limit ${part.newest}` }
    : { later: sql`r.id > ${part.after}`, order: sql`order by r.id limit ${part.most}` };
}

/** The stored results of these claims, or of a part of one, in id order. */
export async function readAdditions(
  tx: Transaction,
  claims: readonly ClaimKey[],
  part?: Part,
): Promise<Map<string, Addition>> {
  const { later, order } = rangeOf(part);
  const additions = new Map<string, Addition>();
  const rows = await perAccount<StoredContribution>(
    tx,
    claims,
    (at) => sql`
      select r.id, r.point_id, r.status, r.account_id as account, r.tool, r.own_trust as "ownTrust", r.definitions, r.derived,
        r.repeats, ${metricArray} as values,
        jsonb_array_length(r.findings) as findings,
        jsonb_array_length(jsonb_path_query_array(r.findings, '$[*] ? (@.severity != "info")')) as warnings
      from results r where ${at(sql`r`)} and ${later} and r.copy_of is null ${order}`,
  );
  if (part !== undefined && 'newest' in part) rows.reverse();
  for (const { point_id, values, repeats, findings, warnings, ...row } of rows) {
    const result: Contribution = {
      ...row,
      pointId: Number(point_id),
      repeats: repeats === null ? null : { n: repeats.n ?? null, sd: repeats.sd, samples: repeats.samples ?? null },
      values: [readMetrics(values)],
    };
    const addition = additions.get(claimKey(result)) ?? { results: [], findings: 0, warnings: 0 };
    additions.set(claimKey(result), addition);
    addition.results.push(result);
    addition.findings += findings;
    addition.warnings += warnings;
  }
  return additions;
}

type KeyedRow = { row: PackedRow };

/** Builds claims from their rows, which are grouped by claim. */
export function toClaims(rows: readonly KeyedRow[]): ClaimSummary[] {
  const keyOf = ({ row }: KeyedRow) => JSON.stringify([row.point_id, row.status, row.account_id, row.own_trust]);
  return [...Map.groupBy(rows, keyOf).values()].map((of) => readClaim(of.map(({ row }) => row)));
}

const selectClaims = prepared<{ points: string }, KeyedRow>(sql`
  select to_jsonb(t) || jsonb_build_object('written_by', t.xmin::text) as row from point_statistics t
  where t.point_id = any(${value('points')}::bigint[])
  order by t.point_id, t.status, t.account_id, t.own_trust, t.variant`);

/** All claims at these points. */
export async function readClaimsAt(tx: Transaction, pointIds: readonly number[]): Promise<ClaimSummary[]> {
  return toClaims(await selectClaims(tx, { points: idArray(pointIds) }));
}
