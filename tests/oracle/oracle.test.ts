import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../apps/api/src/testing/index.ts';
import { checkBest } from './best.ts';
import { checkResults, checkSystems, type World } from './lists.ts';
import { checkMatrix, checkPareto } from './pivots.ts';
import { toStandings } from './points.ts';
import { createRandom, type Random } from './random.ts';
import { checkLeaderboard } from './rankings.ts';
import { storeUploads } from './store.ts';
import { makeUploads } from './world.ts';

// Submits five thousand results through the API and compares the responses to random queries with plain arrays: filter, group,
// sort. The arrays resolve filter values with separate tables.

const worldSeed = 7;
/** Five thousand including the copies of two uploads. */
const uploaded = 4500;

/** Fraction of a thousand queries to send; ORACLE_QUESTIONS=1000 sends all of them. */
const share = Number(process.env.ORACLE_QUESTIONS ?? '200') / 1000;

const app = useTestApp();
let world: World = { app, rows: [], standings: [] };
const tally = { questions: 0, disagreements: 0 };

beforeAll(async () => {
  const rows = await storeUploads(app, makeUploads(worldSeed, uploaded));
  world = { app, rows, standings: toStandings(rows) };
});

type Check = (world: World, random: Random) => Promise<string[]>;

/** Sends this many queries, each from a separate seed that reproduces it. */
async function agree(check: Check, outOfThousand: number): Promise<void> {
  const found: string[] = [];
  const questions = Math.ceil(outOfThousand * share);
  for (let seed = 1; seed <= questions; seed += 1) {
    const differences = await check(world, createRandom(seed)).catch((error: Error) => [error.message]);
    found.push(...[...new Set(differences)].map((difference) => `seed ${seed}: ${difference}`));
    if (differences.length > 0) tally.disagreements += 1;
  }
  tally.questions += questions;
  expect(found.slice(0, 20)).toEqual([]);
}

it('the test data has every kind of row', () => {
  const { rows, standings } = world;
  const count = (of: (row: (typeof rows)[number]) => boolean) => rows.filter(of).length;
  expect(rows).toHaveLength(5000);
  expect(count(({ status }) => status === 'quarantined')).toBeGreaterThan(50);
  expect(count(({ status }) => status === 'retracted')).toBeGreaterThan(50);
  expect(count(({ trust }) => trust === 'recomputed')).toBeGreaterThan(50);
  expect(count(({ isCopy }) => isCopy)).toBeGreaterThan(50);
  expect(count(({ repeats }) => repeats !== null)).toBeGreaterThan(50);
  expect(count(({ kind }) => kind === 'kernel')).toBeGreaterThan(20);
  expect(count(({ values }) => values.output_tok_s === 0)).toBeGreaterThan(0);
  expect(new Set(rows.map(({ systemId }) => systemId)).size).toBeGreaterThan(100);
  expect(standings.filter(({ variants }) => variants.length > 1).length).toBeGreaterThan(20);
  expect(new Set(standings.flatMap(({ first }) => first.load.mode)).size).toBe(5);
});

describe.each<[string, Check, number]>([
  ['/v1/results', checkResults, 250],
  ['/v1/systems', checkSystems, 120],
  ['/v1/leaderboard', checkLeaderboard, 300],
  ['/v1/best', checkBest, 150],
  ['/v1/matrix', checkMatrix, 100],
  ['/v1/pareto', checkPareto, 80],
])('%s', (_, check, outOfThousand) => {
  it('returns the same as plain arrays for random queries', () => agree(check, outOfThousand));
});

afterAll(() => {
  const { rows, standings } = world;
  console.log(
    `${tally.questions} questions over ${rows.length} results at ${standings.length} points: ${tally.disagreements} disagreements`,
  );
});
