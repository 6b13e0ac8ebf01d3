import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomOf } from '../bench/scale/chance.ts';
import { build } from '../bench/scale/fill/build.ts';
import { recordStatements } from '../bench/scale/fill/statements.ts';
import { type Opened, openBuilt } from '../bench/scale/open.ts';
import { makeQuestions } from '../bench/scale/questions.ts';
import { floodPoint } from '../packages/db/src/testing/flood-point.ts';
import { countRows } from './support/rows-read.ts';

/** Maximum rows read for each returned row. A point with several claims is read if any of them can match. */
const mostRead = 40;
/** The data version has a constant number of rows. */
const isVersion = (text: string) => text.includes('data_versions');
/** Counts of exclusions, workloads and bounded metrics read each point once, with its system and statistics. */
const isCount = (text: string) => /\bcount\(/.test(text) && /\bboard_(rows|points|figures)\b/.test(text);
const asks = 12;

let dir: string;
let opened: Opened;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'inferboard-rows-'));
  await build({ dir, results: 24_000, systems: 500, seed: 3 }, () => {});
  opened = await openBuilt(dir);
});
afterAll(async () => {
  await opened?.close();
  await rm(dir, { recursive: true, force: true });
});

interface Answer {
  next_cursor?: string | null;
  data?: { system?: { id: string }; statistics?: { runs?: { result_id: string }[] } }[];
}

async function get(path: string): Promise<Answer> {
  const response = await opened.app.request(path);
  const text = await response.text();
  expect(response.status, `${path}: ${text.slice(0, 200)}`).toBe(200);
  return JSON.parse(text);
}

async function questions() {
  const systems = await opened.deps.database.sql<{ id: string }[]>`select id from systems order by id limit 40`;
  const later: string[] = [];
  for (let path = '/v1/results?limit=50'; later.length < 6; later.push(path)) {
    path = `/v1/results?limit=50&cursor=${(await get(path)).next_cursor}`;
  }
  return makeQuestions(
    systems.map(({ id }) => id),
    later,
  );
}

test('finds the newest results behind many quarantined ones', async () => {
  const { database } = opened.deps;
  const client = Reflect.get(database.db, '$client') as Sql;
  const path = '/v1/results?limit=20';
  const held = await database.sql<{ id: string }[]>`
    update results set status = 'quarantined' where id in (select id from results order by id desc limit 2000) returning id`;
  await database.sql`analyze results`;
  try {
    const shown = (await get(path)).data?.length;
    expect(shown).toBe(20);
    for (const statement of await recordStatements(database, () => get(path))) {
      if (!/^\s*(select|with)\b/i.test(statement.text)) continue;
      const { read } = await countRows(client, statement);
      expect(read, statement.text).toBeLessThanOrEqual(mostRead * 20);
    }
  } finally {
    await database.sql`update results set status = 'accepted' where id in ${database.sql(held.map(({ id }) => id))}`;
  }
});

test('finds the counted results of a point among thousands of quarantined ones', async () => {
  const { database } = opened.deps;
  const client = Reflect.get(database.db, '$client') as Sql;
  const [first] = (await get('/v1/leaderboard?limit=1&full=true')).data ?? [];
  const [run] = first?.statistics?.runs ?? [];
  if (first?.system === undefined || run === undefined) throw new Error('an empty board');
  const system = first.system.id;
  const lists = [`/v1/results?system=${system}&limit=20`, '/v1/leaderboard?limit=1&full=true'];
  const others = [`/v1/systems/${system}`, `/v1/history?system=${system}&metric=output_tok_s`];
  const readOf = async (path: string): Promise<number> => {
    await get(path);
    let read = 0;
    for (const statement of await recordStatements(database, () => get(path)))
      if (/^\s*(select|with)\b/i.test(statement.text)) read += (await countRows(client, statement)).read;
    return read;
  };
  const readOfAll = async (paths: string[]) => {
    const counts: number[] = [];
    for (const path of paths) counts.push(await readOf(path));
    return counts;
  };
  await database.sql`analyze results`;
  const [answers, reads] = [await Promise.all(lists.map(get)), await readOfAll([...lists, ...others])];
  // Half of them before all others, half after.
  for (const from of [0, 2500])
    await floodPoint(database.sql, { id: run.result_id, count: 2500, from, status: 'quarantined' });
  await database.sql`update results set id = 'res_f' || substr(id, 6) where ordinal > 102500`;
  await database.sql`analyze results`;
  try {
    expect(await Promise.all(lists.map(get))).toEqual(answers);
    for (const [place, read] of (await readOfAll([...lists, ...others])).entries())
      expect(read, [...lists, ...others][place]).toBeLessThanOrEqual((reads[place] ?? 0) + 100);
    expect(await readOf(`${lists[0]}&include=quarantined`)).toBeLessThanOrEqual(mostRead * 20);
  } finally {
    await database.sql`delete from results where ordinal > 100000`;
  }
});

test('the versions of points are found without reading the other points of their scenario', async () => {
  const { database } = opened.deps;
  const client = Reflect.get(database.db, '$client') as Sql;
  const path = '/v1/changes?metric=output_tok_s&type=version&limit=200';
  await get(path);
  await database.sql`update accounts set name = name where false`;
  const sent = await recordStatements(database, () => get(path));
  const found = sent.filter(({ text }) => text.includes('f.engine_version as version'));
  expect(found.length).toBeGreaterThan(0);
  for (const statement of found) {
    const { read, answered } = await countRows(client, statement);
    expect(answered).toBeGreaterThan(0);
    expect(read, statement.text).toBeLessThanOrEqual(mostRead * answered);
  }
});

test('a comparison of six systems sends as many statements as one of two', async () => {
  const { database } = opened.deps;
  const systems = await database.sql<{ id: string }[]>`select id from systems order by id limit 6`;
  const countOf = async (ids: readonly { id: string }[]) => {
    const path = `/v1/compare?${ids.map(({ id }) => `system=${id}`).join('&')}`;
    const sent = await recordStatements(database, () => get(path));
    return sent.filter(({ text }) => !isVersion(text)).length;
  };
  expect(await countOf(systems)).toBe(await countOf(systems.slice(0, 2)));
});

test('no response reads many more rows than it returns', async () => {
  const { database } = opened.deps;
  // The same client that sent them, because another formats JSON differently.
  const client = Reflect.get(database.db, '$client') as Sql;
  const found = new Map<string, string>();
  const [stored] = await database.sql<{ rows: number }[]>`
    select 3 * (select count(*) from board_points)::int + (select count(*) from systems)::int as rows`;
  for (const [place, question] of (await questions()).entries()) {
    const random = randomOf(11, place);
    let worst = 0;
    for (let round = 0; round < asks; round += 1) {
      const path = question.path(random);
      // The first request loads data into memory; later ones do not read it again.
      const answer = await get(path);
      // After a change, it reads again what boards of one version share.
      await database.sql`update accounts set name = name where false`;
      const sent = await recordStatements(database, () => get(path));
      const selects = sent.filter(({ text }) => /^\s*(select|with)\b/i.test(text) && !isVersion(text));
      expect(selects.length, path).toBeGreaterThan(0);
      // An entry's runs are in its row.
      const runs = answer.data?.flatMap(({ statistics }) => statistics?.runs ?? []).length ?? 0;
      let [read, answered] = [0, runs];
      const details: string[] = [];
      for (const statement of selects) {
        const rows = await countRows(client, statement);
        if (isCount(statement.text)) {
          expect(rows.read, `${path}: ${statement.text}`).toBeLessThanOrEqual(stored?.rows ?? 0);
          continue;
        }
        read += rows.read;
        answered += rows.answered;
        details.push(`${rows.read} for ${rows.answered}: ${statement.text.replace(/\s+/g, ' ').slice(0, 300)}`);
      }
      // Points of a chart are one document.
      answered = Math.max(answered, answer.data?.length ?? 0);
      worst = Math.max(worst, read / Math.max(1, answered));
      expect(read, `${path} reads ${read} rows for ${answered}:\n${details.join('\n')}`).toBeLessThanOrEqual(
        mostRead * Math.max(1, answered),
      );
    }
    found.set(question.name, worst.toFixed(1));
  }
  console.log('rows read for each that is answered, at most:', Object.fromEntries(found));
});
