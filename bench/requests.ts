// Cost of each kind of request: requests per second of one API process over HTTP, CPU time of the API and of the database, and
// WAL bytes per request. `npm run bench:requests -- --seconds 5`
import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../packages/db/src/embedded/start.ts';
import { cpuOf } from './service/processes.ts';
import { adminKey } from './support.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, port: { type: 'string', default: '9215' } },
});
const [seconds, port] = [Number(values.seconds), Number(values.port)];
const main = fileURLToPath(new URL('../apps/api/src/main.ts', import.meta.url));
const clients = 16;
interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: () => string;
}

const agent = new Agent({ keepAlive: true, maxSockets: clients });

const ask = ({ method = 'GET', path, headers = {}, body }: Asked) =>
  new Promise<{ status: number; etag: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      response.once('end', () => resolve({ status, etag: response.headers.etag ?? '' }));
    });
    sent.once('error', reject);
    sent.end(body?.());
  });

let serial = 0;
const line = () =>
  JSON.stringify({
    run_name: 'r',
    batch_size: 1 + (serial % 64),
    input_len: 128,
    output_len: 64,
    latency: 0.51,
    output_throughput: 100 + (serial++ % 1_000_000) / 1e4,
    overall_throughput: 377.82,
  });
const lines = (count: number) => Array.from({ length: count }, line).join('\n');
const upload = (count: number): Asked => ({
  method: 'POST',
  path: '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16',
  headers: { authorization: `Bearer ${adminKey}` },
  body: () => lines(count),
});

const dataDir = join(tmpdir(), `inferboard-bench-requests-${process.pid}`);
const embedded = await startEmbedded({ dataDir, log: () => {} });
const sql = postgres(embedded.url, { max: 1, onnotice: () => {} });
let service: ChildProcess | null = null;
try {
  service = fork(main, {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: embedded.url,
      ADMIN_KEY: adminKey,
      ROLES: 'api',
      SECRET_KEY: 'of the benchmark alone',
      RATE_LIMIT_READS: 'off',
      RATE_LIMIT_WRITES: 'off',
      PROCESSES: '1',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { pid } = service;
  if (pid === undefined) throw new Error('the service did not start');
  while ((await ask({ path: '/readyz' }).catch(() => ({ status: 0 }))).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const board = '/v1/leaderboard';
  const { etag } = await ask({ path: board });
  const [first] = await sql<{ id: string }[]>`select id from submissions order by id limit 1`;
  const kinds: [name: string, asked: Asked, results: number][] = [
    ['alive', { path: '/healthz' }, 0],
    ['board of 50', { path: board }, 0],
    ['the same, unchanged (304)', { path: board, headers: { 'if-none-match': etag } }, 0],
    ['board of a GPU', { path: `${board}?gpu=h100&limit=20` }, 0],
    ['page of 50 results', { path: '/v1/results' }, 0],
    ['a submission by its link', { path: `/v1/submissions/${first?.id}` }, 0],
    ['upload of 1 result', upload(1), 1],
    ['upload of 1000 results', upload(1000), 1000],
  ];
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${clients} clients, ${seconds} s each\n`,
  );
  console.log(
    `${''.padEnd(28)}${['requests/s', 'API ms', 'database ms', 'log kB/result'].map((name) => name.padStart(15)).join('')}`,
  );
  for (const [name, asked, results] of kinds) {
    for (let i = 0; i < 30; i += 1) if (results < 2) await ask(asked);
    const places = async () =>
      Number((await sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`)[0]?.at);
    const [api, database, log] = [await cpuOf([pid]), await cpuOf([embedded.pid]), await places()];
    const from = performance.now();
    let count = 0;
    const statuses = new Set<number>();
    const client = async () => {
      while (performance.now() - from < seconds * 1000) {
        statuses.add((await ask(asked)).status);
        count += 1;
      }
    };
    await Promise.all(Array.from({ length: results > 1 ? 2 : clients }, client));
    const took_s = (performance.now() - from) / 1000;
    const each = (after: number, before: number) => ((after - before) / count).toFixed(2);
    const cells = [
      (count / took_s).toFixed(results > 1 ? 2 : 0),
      each(await cpuOf([pid]), api),
      each(await cpuOf([embedded.pid]), database),
      results === 0 ? '' : (((await places()) - log) / count / results / 1000).toFixed(1),
    ];
    console.log(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(15)).join('')}   ${[...statuses]}`);
  }
} finally {
  agent.destroy();
  service?.kill('SIGINT');
  await new Promise((resolve) => (service === null ? resolve(null) : service.once('exit', resolve)));
  await sql.end();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
