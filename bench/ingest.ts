// Submissions over HTTP to a service in a process of its own, beside the bare driver that writes the very same rows into
// tables of the same shape: npm run bench:ingest. Both in turn, so that whatever else the machine does meets both.
import { createDatabase } from '../packages/db/src/client.ts';
import { facts, pointsOf, vllmRecord } from './scale/artifact.ts';
import {
  copyBare,
  copyMemoryRows,
  createBareTables,
  emptyBareTables,
  findArrays,
  insertBare,
  insertMemoryRows,
  prepareInserts,
  readCopies,
  readMemoryRows,
  readTextRows,
  type TextRows,
} from './scale/bare.ts';
import { randomOf } from './scale/chance.ts';
import { startService } from './scale/service.ts';
import { adminKey, describeMachine, openBench } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const clients = 8;
const singlesPerRound = 400;
/** Results that the busy point has before it is measured. */
const busyResults = 1200;
const bulkLines = 10_000;
/** Points that the lines of a bulk touch are four for each of these: five lines a point. */
const bulkUsers = 500;
/** The least share of the bare driver's speed by COPY that bulk has to reach. */
const bar = 0.5;

const bench = await openBench();
const service = await startService(bench.databaseUrl, adminKey);
const database = createDatabase(bench.databaseUrl, { poolSize: clients, statementTimeout_ms: 0 });
const random = randomOf(11, 0);
let version = 0;

async function submit(body: string, engineVersion: string): Promise<string> {
  const query = new URLSearchParams({ ...facts, engine_version: engineVersion });
  const response = await fetch(`${service.url}/v1/submissions?${query}`, {
    method: 'POST',
    // As curl asks: the answer as it is.
    headers: { authorization: `Bearer ${adminKey}`, 'accept-encoding': 'identity' },
    body,
  });
  // All of it has arrived: making text of 38 MB would be the client's work.
  const head = Buffer.from(await response.arrayBuffer()).toString('utf8', 0, 500);
  if (response.status !== 201) throw new Error(`${response.status} ${head}`);
  const id = /"id":"(sub_[0-9a-f]+)"/.exec(head)?.[1];
  if (id === undefined) throw new Error(`no submission in ${head}`);
  return id;
}

/** Does each piece of work once, `clients` at a time, and answers how long it took altogether, in seconds. */
async function byClients<T>(work: readonly T[], run: (piece: T, place: number) => Promise<void>): Promise<number> {
  const left = work.entries();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const [place, piece] of left) await run(piece, place);
    }),
  );
  return (performance.now() - start) / 1000;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

function tell(title: string, unit: string, ours: readonly number[], bare: readonly number[], baseline: string): number {
  const ratio = median(ours) / median(bare);
  console.log(
    `${title}: ${median(ours).toFixed(0)} ${unit}; ${baseline}: ${median(bare).toFixed(0)} ${unit}; ratio ${ratio.toFixed(2)} ` +
      `(medians of ${ours.length} rounds; ratios of rounds ${ours.map((speed, at) => (speed / (bare[at] ?? Number.NaN)).toFixed(2)).join(', ')})`,
  );
  return ratio;
}

/** Speed of single results by all clients, in submissions a second, and what became of them. */
async function submitSingles(
  bodies: readonly string[],
  engineVersion: string,
): Promise<{ speed: number; ids: string[] }> {
  const ids: string[] = [];
  const seconds = await byClients(bodies, async (body, place) => {
    ids[place] = await submit(body, engineVersion);
  });
  return { speed: bodies.length / seconds, ids };
}

async function measureSingles(): Promise<void> {
  const inserts = await prepareInserts(database.sql);
  const speeds = { fresh: [] as number[], busy: [] as number[], bare: [] as number[] };
  const busyBodies = (count: number) => Array.from({ length: count }, () => vllmRecord(0, 1, random));
  await submitSingles(busyBodies(busyResults), '0.0.1');
  for (let round = 0; round <= rounds; round += 1) {
    version += 1;
    const bodies = Array.from({ length: singlesPerRound }, (_, place) =>
      vllmRecord(place, singlesPerRound / 4, random),
    );
    const fresh = await submitSingles(bodies, `0.${version}.1`);
    const rows: TextRows[] = [];
    const seen = new Set<string>();
    for (const id of fresh.ids) {
      // A system that several share is inserted once.
      const all = await readTextRows(database.sql, inserts, id);
      const unseen = all.filter(
        ([text, values]) => !text.startsWith('insert into bare_systems ') || !seen.has(values[0] ?? ''),
      );
      for (const [text, values] of unseen) if (text.startsWith('insert into bare_systems ')) seen.add(values[0] ?? '');
      rows.push(unseen);
    }
    const bareSeconds = await byClients(rows, (of) => insertBare(database.sql, of));
    const busy = await submitSingles(busyBodies(singlesPerRound), '0.0.1');
    // The first round warms both.
    if (round === 0) continue;
    speeds.fresh.push(fresh.speed);
    speeds.busy.push(busy.speed);
    speeds.bare.push(singlesPerRound / bareSeconds);
  }
  const baseline = `INSERT of the fresh ones, ${clients} connections`;
  for (const [name, of] of [
    ['points of their own', speeds.fresh],
    ['one point', speeds.busy],
  ] as const)
    tell(`single results onto ${name}, ${clients} clients over HTTP`, 'submissions/s', of, speeds.bare, baseline);
}

async function measureOneClient(): Promise<void> {
  version += 1;
  const times: number[] = [];
  for (let place = 0; place < singlesPerRound; place += 1) {
    const body = vllmRecord(place, singlesPerRound / 4, random);
    const start = performance.now();
    await submit(body, `0.${version}.1`);
    times.push(performance.now() - start);
  }
  const at = (share: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]?.toFixed(2);
  console.log(`single results, one client over HTTP: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  // What the one before left to be written would be paid by the next.
  await database.sql`checkpoint`;
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

async function measureBulk(): Promise<number> {
  const arrays = await findArrays(database.sql);
  const speeds = { ours: [] as number[], insert: [] as number[], copy: [] as number[], text: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    version += 1;
    const body = Array.from({ length: bulkLines }, (_, place) => vllmRecord(place, bulkUsers, random)).join('\n');
    let id = '';
    const times = {
      ours: await seconds(async () => {
        id = await submit(body, `0.${version}.1`);
      }),
      insert: 0,
      copy: 0,
      text: 0,
    };
    await emptyBareTables(database.sql);
    const inMemory = await readMemoryRows(database.sql, id);
    times.insert = await seconds(() => insertMemoryRows(database.sql, inMemory));
    await emptyBareTables(database.sql);
    times.copy = await seconds(() => copyMemoryRows(database.sql, inMemory, arrays));
    await emptyBareTables(database.sql);
    const copies = await readCopies(bench.databaseUrl, id);
    times.text = await seconds(() => copyBare(database.sql, copies));
    if (round === 0) continue;
    for (const [name, time] of Object.entries(times)) speeds[name as keyof typeof times].push(bulkLines / time);
  }
  const title = `JSONL of ${bulkLines} lines, ${pointsOf(bulkUsers)} new points, one client over HTTP`;
  tell(title, 'results/s', speeds.ours, speeds.insert, "the driver's INSERT of the same rows");
  tell(title, 'results/s', speeds.ours, speeds.text, 'COPY of text that was made before');
  return tell(title, 'results/s', speeds.ours, speeds.copy, 'COPY of the same rows from memory');
}

try {
  describeMachine();
  await createBareTables(database.sql);
  await measureSingles();
  await measureOneClient();
  const ratio = await measureBulk();
  if (ratio < bar) {
    console.error(`Bulk is below ${bar} of the bare driver.`);
    process.exitCode = 1;
  }
} finally {
  await service.stop();
  await database.close();
  await bench.end();
}
