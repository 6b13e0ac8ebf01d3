import { metricNames } from '@inferboard/core/metrics/index';
import type { ResultStatus } from '@inferboard/core/result';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, columnList } from '../bulk.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import { type Contribution, type Doubts, readStanding, type Standing } from '../point-statistics/standing.ts';
import type { Transaction } from '../transaction.ts';

/** Stored results read back by one statement at most, roughly. A place that has more is read in parts. */
export const readMax = 20_000;

/** A point and a status, with how many results it has stored. */
export interface Place {
  pointId: number;
  status: ResultStatus;
  stored: number;
  /** Accounts whose figures were replicated there before. */
  replicated: readonly string[];
}

/** New results of one point and status, with their findings. */
export interface Addition extends Doubts {
  results: Contribution[];
}

export const keyOf = ({ pointId, status }: { pointId: number; status: string }) => `${pointId} ${status}`;

/** Runs one statement for each status: `= any` over ids of one status always goes by the index. */
export async function perStatus<T>(
  tx: Transaction,
  places: readonly Place[],
  statement: (at: (table: SQL) => SQL) => SQL,
): Promise<T[]> {
  const rows: T[] = [];
  for (const [status, of] of Map.groupBy(places, (place) => place.status)) {
    const ids = bigints(of.map((place) => place.pointId));
    const at = (table: SQL) => sql`${table}.point_id = any(${ids}) and ${table}.status = ${status}`;
    rows.push(...((await tx.execute(statement(at))) as unknown as T[]));
  }
  return rows;
}

/** Places whose results together fit one statement; a place that does not is alone. */
export function batches(places: readonly Place[]): Place[][] {
  const all: Place[][] = [];
  let room = 0;
  for (const place of places) {
    const last = all.at(-1);
    if (last !== undefined && place.stored <= room) last.push(place);
    else {
      all.push([place]);
      room = readMax;
    }
    room -= place.stored;
  }
  return all;
}

const valueArray = sql`to_json(array[${columnList(metricNames, (quoted) => `r.${quoted}`)}])`;

interface StoredContribution extends Omit<Contribution, 'pointId' | 'values' | 'repeats'>, Doubts {
  point_id: string;
  repeats: Contribution['repeats'];
  values: (number | null)[];
}

/**
 * What is stored of the results at these places, leaving out one submission; results in the order of their ids.
 *
 * @param part so many at most, from the one after this id on: for a place that is read in parts
 */
export async function readAdditions(
  tx: Transaction,
  places: readonly Place[],
  except: string | null,
  part?: { after: string; most: number },
): Promise<Map<string, Addition>> {
  const others = except === null ? sql`true` : sql`r.submission_id <> ${except}`;
  const later = part === undefined ? sql`true` : sql`r.id > ${part.after}`;
  const limit = part === undefined ? sql`` : sql`limit ${part.most}`;
  const additions = new Map<string, Addition>();
  const rows = await perStatus<StoredContribution>(
    tx,
    places,
    (at) => sql`
      select r.id, r.point_id, r.status, r.tool, r.own_trust as trust, r.definitions, r.derived, r.repeats, ${valueArray} as values,
        -- Not joined: for a hundred results the planner would go through all submissions in the order of their ids.
        (select sub.account_id from submissions sub where sub.id = r.submission_id) as account,
        jsonb_array_length(r.findings) as findings,
        jsonb_array_length(jsonb_path_query_array(r.findings, '$[*] ? (@.severity != "info")')) as warnings
      from results r where ${at(sql`r`)} and ${others} and ${later} and r.copy_of is null order by r.id ${limit}`,
  );
  for (const { point_id, values, repeats, findings, warnings, ...row } of rows) {
    const result: Contribution = {
      ...row,
      pointId: Number(point_id),
      repeats: repeats === null ? null : { n: repeats.n ?? null, sd: repeats.sd, samples: repeats.samples ?? null },
      values: [
        Object.fromEntries(
          values.flatMap((value, place) => (value === null ? [] : [[metricNames[place] ?? '', value]])),
        ),
      ],
    };
    const addition = additions.get(keyOf(result)) ?? { results: [], findings: 0, warnings: 0 };
    additions.set(keyOf(result), addition);
    addition.results.push(result);
    addition.findings += findings;
    addition.warnings += warnings;
  }
  return additions;
}

export async function readStandings(tx: Transaction, places: readonly Place[]): Promise<Map<string, Standing>> {
  const rows = await perStatus<{ row: PackedRow }>(
    tx,
    places,
    (at) => sql`
      select to_jsonb(t) as row from point_statistics t where ${at(sql`t`)} order by variant`,
  );
  const keyed = Map.groupBy(rows, ({ row }) => keyOf({ pointId: row.point_id, status: row.status }));
  return new Map([...keyed].map(([key, of]) => [key, readStanding(of.map(({ row }) => row))]));
}
