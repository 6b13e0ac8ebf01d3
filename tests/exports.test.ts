import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withConnection } from '../packages/db/src/testing/connection.ts';
import { createTestDatabase, type TestDatabase } from '../packages/db/src/testing/index.ts';
import { startAt, type TestServer } from './support/server.ts';

/** A small number for a fast test; `npm run bench:exports` uses a million. */
const copies = 50;
/** Streaming grows memory by a third of this, buffering the whole response by one and a half times this. */
const growthMax_mib = 60;

let database: TestDatabase;
let server: TestServer;
let rows = 0;

/** The sample's results, repeated with different figures. */
async function fill(): Promise<void> {
  await withConnection(database.url, async (sql) => {
    const columns = await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns where table_name = 'results' and table_schema = 'public'`;
    const names = columns.map(({ name }) => name);
    const cellOf = (name: string) => {
      if (name === 'id') return "'res_' || replace(gen_random_uuid()::text, '-', '')";
      if (name === 'ordinal') return 'r.ordinal + copy * 100000';
      return `r.${name}`;
    };
    await sql.unsafe(`
      insert into results (${names.join(', ')}) select ${names.map(cellOf).join(', ')}
      from generate_series(1, ${copies}) copy cross join results r where r.status = 'accepted'`);
    await sql.unsafe('analyze results');
    const [count] = await sql<{ n: number }[]>`select count(*)::int as n from results where status = 'accepted'`;
    rows = count?.n ?? 0;
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startAt({ env: { DATABASE_URL: database.url }, remove: () => database.drop() }, { ROLES: 'api' });
  await fill();
  // The first export grows the heap of a new process to its working size.
  await (await fetch(`${server.url}/v1/results.csv`)).arrayBuffer();
});
afterAll(() => server.dispose());

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Number of the service's connections that are in a transaction or run a query. */
const busyConnections = () =>
  withConnection(database.url, async (sql) => {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
    return row?.n;
  });

describe.runIf(process.platform === 'linux')('an export of many results', () => {
  test.each(['csv', 'jsonl', 'parquet'])('as %s does not increase the memory of the service', async (format) => {
    expect(rows).toBeGreaterThan(10_000);
    // A short export of the same format first, to load and compile the code.
    await (await fetch(`${server.url}/v1/results.${format}?min_decode_tok_s=1e9`)).arrayBuffer();
    const before_mib = await residentMib();
    let [most_mib, bytes, lines] = [0, 0, 0];
    const response = await fetch(`${server.url}/v1/results.${format}`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect(response.status).toBe(200);
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
      most_mib = Math.max(most_mib, await residentMib());
    }
    if (format !== 'parquet') expect(lines).toBe(rows + (format === 'csv' ? 1 : 0));
    expect(bytes).toBeGreaterThan(100_000);
    expect(most_mib - before_mib).toBeLessThan(growthMax_mib);
  });

  test('stops when its reader disconnects', async () => {
    for (const path of ['/v1/results.jsonl', '/v1/leaderboard.jsonl?rank_by=decode_tok_s']) {
      const leaving = new AbortController();
      const response = await fetch(`${server.url}${path}`, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
    }
    // After the client disconnects, the service reads and holds nothing.
    await expect.poll(busyConnections).toBe(0);
  });
});
