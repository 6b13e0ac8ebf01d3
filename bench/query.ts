// Reads through the API over much data, beside the bare statements that it sent for them, and what it ranks in memory
// also beside the whole question as one statement:
// npm run bench:query -- --dir DIR [--requests 200] [--only leaderboard]. Without a directory 200 000 results are
// generated for the occasion.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './scale/build.ts';
import { randomOf } from './scale/chance.ts';
import { inSql } from './scale/in-sql.ts';
import { type Opened, openBuilt } from './scale/open.ts';
import { timeBare } from './scale/pgbench.ts';
import { makeQuestions, type Question } from './scale/questions.ts';
import { listen, recordStatements, type Sent } from './scale/statements.ts';
import { describeMachine } from './support.ts';

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    requests: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
  },
});
const requests = Math.max(100, Number(values.requests));
const warmUp = 20;
/** Requests whose statements are replayed: pgbench takes 128 scripts at most. */
const replayed = 100;

const at = (times: readonly number[], p: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * p)] ?? Number.NaN;
const ms = (value: number) => `${value.toFixed(2)} ms`;

function createAsk({ app }: Opened) {
  return async (path: string): Promise<string> => {
    const response = await app.request(path);
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body.slice(0, 300)}`);
    return body;
  };
}

type Ask = ReturnType<typeof createAsk>;

/** Pages behind the first, some of them far behind. */
async function findLaterPages(ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (const base of [
    '/v1/results?limit=50',
    '/v1/results?limit=50&gpu=h100',
    '/v1/results?limit=50&model=qwen3-32b',
  ]) {
    let cursor: string | null = null;
    for (let page = 0; page < 8; page += 1) {
      const { next_cursor }: { next_cursor: string | null } = JSON.parse(
        await ask(cursor === null ? base : `${base}&cursor=${cursor}`),
      );
      if (next_cursor === null) break;
      cursor = next_cursor;
      found.push(`${base}&cursor=${cursor}`);
    }
  }
  return found;
}

/** Whole questions that are tried as SQL: each may take seconds. */
const wholeQuestions = 12;

/** The statements that answer these requests by SQL alone; null where they are no questions of ranking. */
async function wholeStatements({ deps: { database } }: Opened, paths: readonly string[]): Promise<Sent[][] | null> {
  const statements = paths.slice(0, wholeQuestions).map((path) => inSql(path));
  const sent: Sent[][] = [];
  for (const statement of statements) {
    if (statement === null) return null;
    // Its text and values are the client's work; what it answers is thrown away.
    sent.push(await recordStatements(database, () => database.db.execute(statement)));
  }
  return sent;
}

/** Bare times of the statements behind requests, by pgbench or, for want of it, by the bare client. */
async function replay(
  opened: Opened,
  sent: readonly Sent[][],
  rounds: number,
): Promise<{ times: number[]; by: string }> {
  const times = await timeBare(opened.databaseUrl, sent, rounds);
  if (times !== null) return { times, by: 'pgbench' };
  const own: number[] = [];
  const connection = await opened.deps.database.sql.reserve();
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    for (const { text, values } of sent[round % sent.length] ?? []) await connection.unsafe(text, [...values]);
    own.push(performance.now() - start);
  }
  connection.release();
  return { times: own, by: 'postgres.js' };
}

async function measure(opened: Opened, ask: Ask, question: Question, place: number): Promise<void> {
  const random = randomOf(7, place);
  const paths: string[] = [];
  const timed = async () => {
    const path = question.path(random);
    paths.push(path);
    const start = performance.now();
    await ask(path);
    return performance.now() - start;
  };
  const first = await timed();
  for (let round = 0; round < warmUp; round += 1) await timed();
  const times: number[] = [];
  const sent: Sent[][] = [];
  const listener = listen(opened.deps.database);
  const begin = performance.now();
  for (let round = 0; round < requests; round += 1) {
    times.push(await timed());
    sent.push(listener.take());
  }
  const perSecond = (requests / (performance.now() - begin)) * 1000;
  listener.end();
  const asked = sent.filter((statements) => statements.length > 0).slice(0, replayed);
  const told = `${question.name}: p50 ${ms(at(times, 0.5))}, p99 ${ms(at(times, 0.99))}, ${perSecond.toFixed(0)} req/s, first ${ms(first)}`;
  if (asked.length === 0) return console.log(`${told}; no SQL`);
  const bare = await replay(opened, asked, requests);
  const p50 = at(times, 0.5);
  const beside = ({ times: bareTimes }: { times: number[] }) =>
    `p50 ${ms(at(bareTimes, 0.5))}, ratio of p50 ${(p50 / at(bareTimes, 0.5)).toFixed(2)}`;
  console.log(`${told}; bare SQL (${bare.by}, ${asked[0]?.length} statements): ${beside(bare)}`);
  const whole = await wholeStatements(opened, paths);
  if (whole === null) return;
  console.log(`  the question as one statement: ${beside(await replay(opened, whole, 2 * wholeQuestions))}`);
}

const temporary = values.dir === undefined ? await mkdtemp(join(tmpdir(), 'inferboard-bench-')) : null;
try {
  if (temporary !== null) await build({ dir: temporary, results: 200_000, systems: 4000, seed: 1 }, console.log);
  const opened = await openBuilt(values.dir ?? temporary ?? '');
  try {
    describeMachine();
    const { sql } = opened.deps.database;
    const [counts] =
      await sql`select (select count(*) from results) as results, (select count(*) from points) as points`;
    console.log(`${counts?.results} results, ${counts?.points} points, one client, ${requests} requests of each kind`);
    const systems = await sql<{ id: string }[]>`select id from systems order by md5(id) limit 500`;
    const ask = createAsk(opened);
    const ids = systems.map(({ id }) => id);
    // The first of all takes the statistics into memory; what is looked up here comes after it.
    const start = performance.now();
    await ask('/v1/leaderboard?max_itl_ms=20&min_output_tok_s=100');
    console.log(`the first request of the process: ${ms(performance.now() - start)}`);
    const questions = makeQuestions(ids, await findLaterPages(ask));
    for (const [place, question] of questions.entries()) {
      if (question.name.includes(values.only)) await measure(opened, ask, question, place);
    }
  } finally {
    await opened.close();
  }
} finally {
  if (temporary !== null) await rm(temporary, { recursive: true, force: true });
}
