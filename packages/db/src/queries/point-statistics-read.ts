import { type SQL, sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import {
  type ClaimKey,
  type ClaimSummary,
  type Contribution,
  type Doubts,
  readClaim,
} from '../point-statistics/claim-summary.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import type { Transaction } from '../transaction.ts';
import { metricArray, readMetrics } from './stated-figures.ts';

/** Stored results read back by one statement at most, roughly. A claim that has more is read in parts. */
export const readMax = 20_000;

/** A claim, with how many results it has stored. */
export interface StoredClaim extends ClaimKey {
  stored: number;
}

/** New results of one claim, with their findings. */
export interface Addition extends Doubts {
  results: Contribution[];
}

export const claimKey = ({ pointId, status, account, ownTrust }: ClaimKey) =>
  `${pointId} ${status} ${account} ${ownTrust}`;

/** Runs one statement for each status and account: `= any` over ids of those always goes by an index. */
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

/** Claims whose results together fit one statement; a claim that does not is alone. */
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

/**
 * What is stored of the results of these claims, leaving out one submission; results in the order of their ids.
 *
 * @param part so many at most, from the one after this id on: for a claim that is read in parts
 */
export async function readAdditions(
  tx: Transaction,
  claims: readonly ClaimKey[],
  except: string | null,
  part?: { after: string; most: number },
): Promise<Map<string, Addition>> {
  const others = except === null ? sql`true` : sql`r.submission_id <> ${except}`;
  const later = part === undefined ? sql`true` : sql`r.id > ${part.after}`;
  const limit = part === undefined ? sql`` : sql`limit ${part.most}`;
  const additions = new Map<string, Addition>();
  const rows = await perAccount<StoredContribution>(
    tx,
    claims,
    (at) => sql`
      select r.id, r.point_id, r.status, r.account_id as account, r.tool, r.own_trust as "ownTrust", r.definitions, r.derived,
        r.repeats, ${metricArray} as values,
        jsonb_array_length(r.findings) as findings,
        jsonb_array_length(jsonb_path_query_array(r.findings, '$[*] ? (@.severity != "info")')) as warnings
      from results r where ${at(sql`r`)} and ${others} and ${later} and r.copy_of is null order by r.id ${limit}`,
  );
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

/** Claims of their rows, which come in the order of claims. */
export function toClaims(rows: readonly KeyedRow[]): ClaimSummary[] {
  const keyOf = ({ row }: KeyedRow) => JSON.stringify([row.point_id, row.status, row.account_id, row.own_trust]);
  return [...Map.groupBy(rows, keyOf).values()].map((of) => readClaim(of.map(({ row }) => row)));
}

/** Stored claims by their keys. */
export async function readClaims(tx: Transaction, claims: readonly ClaimKey[]): Promise<Map<string, ClaimSummary>> {
  const rows = await perAccount<KeyedRow>(
    tx,
    claims,
    (at) => sql`select to_jsonb(t) as row from point_statistics t where ${at(sql`t`)} order by variant`,
  );
  return new Map(toClaims(rows).map((claim) => [claimKey(claim), claim]));
}

/** All claims at these points. */
export async function readClaimsAt(tx: Transaction, pointIds: readonly number[]): Promise<ClaimSummary[]> {
  const rows = (await tx.execute(sql`
    select to_jsonb(t) as row from point_statistics t
    where t.point_id = any(${bigints(pointIds)})
    order by t.point_id, t.status, t.account_id, t.own_trust, t.variant`)) as unknown as KeyedRow[];
  return toClaims(rows);
}
