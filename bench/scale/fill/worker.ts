// A thread that makes chunks and writes them, with a separate connection for each table.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { createDatabase } from '../../../packages/db/src/connection/client.ts';
import type { Row } from '../../../packages/db/src/connection/rows.ts';
import { makeAccounts } from '../uploads.ts';
import { makeChunk } from './chunk.ts';
import type { Answer, Order, WorkerSetup } from './messages.ts';
import { filledTables, openLoad } from './tables.ts';

/** Number of rows that are converted to text at once. */
const rowsAtOnce = 500;

const port = parentPort;
if (port === null) throw new Error('this file is a thread of generate.ts');
const { databaseUrl, seed }: WorkerSetup = workerData;
const database = createDatabase(databaseUrl, {
  poolSize: filledTables.length,
  statementTimeout_ms: 0,
  // A transaction for each table lasts until the end.
  keepsConnections: true,
});
const loads = await Promise.all(filledTables.map(async (name) => ({ name, load: await openLoad(database, name) })));
const origin = { seed, accounts: makeAccounts(seed), sample: { seen: 0, judged: 0, differing: 0 } };

async function store(order: NonNullable<Order>): Promise<void> {
  const rows = makeChunk(order, origin);
  const write = async (to: (typeof loads)[number]['load'], of: readonly Row[]) => {
    for (let start = 0; start < of.length; start += rowsAtOnce) await to.write(of.slice(start, start + rowsAtOnce));
  };
  for (const { name, load } of loads) await write(load, rows[name]);
}

const answer = (what: Answer) => port.postMessage(what);
answer({ ready: true, results: 0 });
for (;;) {
  const [order]: Order[] = await once(port, 'message');
  if (order === null || order === undefined) break;
  await store(order);
  answer({ ready: true, results: order.results });
}
for (const { load } of loads) await load.end();
await database.close();
answer({ ready: false, sample: origin.sample });
port.close();
