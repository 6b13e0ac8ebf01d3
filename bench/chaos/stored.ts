import postgres from 'postgres';
import type { Client } from './client.ts';
import type { Acknowledged } from './writers.ts';

export interface Stored {
  /** Acknowledged but missing. */
  lost: number;
  /** Stored in excess of one for each acknowledgement. */
  surplus: number;
  /** Difference between the number of results and one for each submission. */
  resultsBeside: number;
  /** Of 200 acknowledged ones, those whose stored artifact differs from the sent one. */
  otherBytes: number;
}

/** Compares the database with the acknowledged writes. Requires that all writes are acknowledged. */
export async function compareStored(
  databaseUrl: string,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  client: Client | undefined,
): Promise<Stored> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ id: string }[]>`select id from submissions`;
    const [results] = await sql<{ n: number }[]>`select count(*)::int as n from results`;
    const there = new Set(rows.map(({ id }) => id));
    const promised = [...acknowledged.values()];
    const step = Math.max(1, Math.floor(promised.length / 200));
    let otherBytes = 0;
    for (const { id, body } of promised.filter((_, place) => place % step === 0)) {
      const outcome = await client?.ask({ path: `/v1/submissions/${id}/artifact` });
      if (outcome?.kind !== 'answered' || outcome.text !== body) otherBytes += 1;
    }
    return {
      lost: promised.filter(({ id }) => !there.has(id)).length,
      surplus: Math.abs(rows.length - new Set(promised.map(({ id }) => id)).size),
      resultsBeside: Math.abs((results?.n ?? 0) - promised.length),
      otherBytes,
    };
  } finally {
    await sql.end();
  }
}
