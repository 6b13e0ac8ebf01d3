// Exports a million results from a separate process: throughput and memory growth. The bytes are counted and discarded. An
// independent reader counts the rows of the Parquet file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import { exportFormats } from '../apps/api/src/exports/index.ts';
import { metricNames } from '../packages/core/src/metrics/index.ts';
import { adminKey, type Bench, describeMachine, openBench } from './support.ts';

const rowsWanted = Number(process.env.BENCH_ROWS ?? 1_000_000);
/** Maximum memory growth of the service, for any export size. */
const growthMax_mib = 100;
const main = fileURLToPath(new URL('../apps/api/src/main.ts', import.meta.url));

/** Copies the sample's results with different figures until there are enough. Returns their number. */
async function fill({ deps: { database } }: Bench): Promise<number> {
  const { sql } = database;
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns where table_name = 'results' and table_schema = 'public'`;
  const metrics = new Set<string>(metricNames);
  const cellOf = (name: string) => {
    if (name === 'id') return "'res_' || replace(uuidv7()::text, '-', '')";
    if (name === 'ordinal') return 'r.ordinal + copy * 100000';
    return metrics.has(name) ? `r.${name} * (0.9 + random() / 5)` : `r.${name}`;
  };
  const names = columns.map(({ name }) => name);
  const [{ sample } = { sample: 0 }] = await sql<
    { sample: number }[]
  >`select count(*)::int as sample from results where status = 'accepted'`;
  const copies = Math.ceil(rowsWanted / sample) - 1;
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    // The copies reference existing rows; checking the foreign keys would take most of the time.
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(`
      insert into results (${names.join(', ')})
      select ${names.map(cellOf).join(', ')}
      from generate_series(1, ${copies}) copy cross join results r where r.status = 'accepted'`);
  });
  await sql.unsafe('analyze results');
  return (copies + 1) * sample;
}

async function startService(databaseUrl: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [main], {
    env: {
      DATABASE_URL: databaseUrl,
      ADMIN_KEY: adminKey,
      PORT: '0',
      ROLES: 'api',
      SAMPLE_DATA: 'false',
      PROCESSES: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Inferboard is ready: (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { url, child };
  }
  throw new Error('the service ended before it was ready');
}

async function residentMib(pid: number): Promise<number> {
  // If the service fails, its download reports the error.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'VmRSS: 0 kB');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Reads a response to its end. `keep`: as a whole, only for the Parquet file, which is small enough. */
async function download(url: string, keep: boolean) {
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const kept: Uint8Array[] = [];
  let [bytes, lines] = [0, 0];
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (keep) kept.push(chunk);
    else for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  if (!keep) return { bytes, lines };
  const columns = ['result_id', 'output_tok_s'];
  const table = tableFromIPC(readParquet(Buffer.concat(kept), { columns }).intoIPCStream());
  return { bytes, lines: table.numRows };
}

const bench = await openBench();
let failed = false;
try {
  describeMachine();
  const rows = await fill(bench);
  console.log(`${rows} results`);
  for (const { extension } of exportFormats) {
    const { url, child } = await startService(bench.databaseUrl);
    try {
      const pid = child.pid ?? 0;
      // A short export of the same format first, to load and compile the code.
      await download(`${url}/v1/results.${extension}?model=llama-2-7b&min_decode_tok_s=1e9`, extension === 'parquet');
      // Idle, so that earlier garbage does not count as growth.
      await sleep(15_000);
      const before = await residentMib(pid);
      let [most, done] = [before, false];
      const watched = (async () => {
        while (!done) {
          most = Math.max(most, await residentMib(pid));
          await sleep(50);
        }
      })();
      const start = performance.now();
      const { bytes, lines } = await download(`${url}/v1/results.${extension}`, extension === 'parquet');
      const seconds = (performance.now() - start) / 1000;
      done = true;
      await watched;
      const heading = extension === 'csv' ? 1 : 0;
      const isWhole = lines - heading === rows;
      failed ||= !isWhole || most - before > growthMax_mib;
      console.log(
        `${extension}: ${lines - heading} rows${isWhole ? '' : ` of ${rows}`} in ${seconds.toFixed(1)} s, ` +
          `${Math.round(rows / seconds)} rows/s, ${(bytes / 1e6).toFixed(0)} MB, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s; ` +
          `memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most: ${(most - before).toFixed(0)} MiB more`,
      );
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  }
} finally {
  await bench.end();
}
if (failed) {
  console.error(`An export was not whole, or the service grew by more than ${growthMax_mib} MiB.`);
  process.exitCode = 1;
}
