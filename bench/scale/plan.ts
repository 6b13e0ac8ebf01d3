import type { System } from '../../packages/core/src/subjects/system.ts';
import { systemKey } from '../../packages/core/src/subjects/system.ts';
import type { Random } from '../../packages/core/src/testing/random.ts';
import { idOfFacts } from '../../packages/db/src/connection/ids.ts';
import type { Wish } from './arguments.ts';
import { pareto, randomOf, share, weighted } from './chance.ts';
import { drawSystem, rowsOf } from './systems.ts';
import { drawWorkload, type Workload } from './workloads.ts';

/** Number of systems per chunk: a few thousand results. */
const systemsPerChunk = 100;

/** One scenario of a system, and the number of results at each level. */
export interface Sweep {
  workload: number;
  levels: readonly (readonly [level: number, results: number])[];
}

export interface PlannedSystem {
  system: System;
  sweeps: readonly Sweep[];
}

/** A chunk of work. Plain data, because it is sent to another thread. */
export interface Chunk {
  place: number;
  systems: readonly PlannedSystem[];
  results: number;
  points: number;
  /** Id of the first point; the others follow without gaps. */
  firstPoint: number;
}

const levels = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const drawLength = weighted([
  [4, 24],
  [5, 22],
  [6, 20],
  [7, 14],
  [8, 10],
  [9, 6],
  [10, 4],
]);
const secondScenario = 0.3;
/** Skew of the results: most systems have one or two per point, a few have dozens. */
const [tail, most] = [0.9, 60];

/** Levels of a sweep, starting at one user or at two. */
function drawLevels(random: Random): number[] {
  const length = drawLength(random);
  const from = length < levels.length && random.chance(0.15) ? 1 : 0;
  return levels.slice(from, from + length);
}

/** One or two workloads, with lengths that the model supports. */
function drawWorkloads(system: System, random: Random): Workload[] {
  const { contextLength } = rowsOf(system).model;
  const drawn = [drawWorkload(random), ...(random.chance(secondScenario) ? [drawWorkload(random)] : [])];
  const fitting = drawn.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens <= contextLength);
  return fitting.length === 0 ? drawWorkloads(system, random) : [...new Set(fitting)];
}

/** The points of a system, at most as many as it has results. */
function drawPoints(system: System, random: Random, results: number) {
  const points = drawWorkloads(system, random).flatMap((workload) =>
    drawLevels(random).map((level) => ({ workload: workload.id, level })),
  );
  return points.slice(0, results);
}

function toSweeps(points: readonly { workload: number; level: number }[], results: number): Sweep[] {
  const counted = points.map((point, place) => ({
    ...point,
    results: Math.floor(results / points.length) + (place < results % points.length ? 1 : 0),
  }));
  return [...Map.groupBy(counted, ({ workload }) => workload)].map(([workload, of]) => ({
    workload,
    levels: of.map(({ level, results: count }) => [level, count] as const),
  }));
}

/** All chunks in order: exactly the given numbers of systems and results, without duplicate systems. */
export function* planChunks(wish: Wish): Generator<Chunk> {
  const known = new Set<string>();
  const chunks = Math.ceil(wish.systems / systemsPerChunk);
  const upTo = (total: number, place: number) => Math.round((total * place) / chunks);
  let firstPoint = 1;
  for (let place = 0; place < chunks; place += 1) {
    const random = randomOf(wish.seed, 2 * place);
    const count = upTo(wish.systems, place + 1) - upTo(wish.systems, place);
    const results = upTo(wish.results, place + 1) - upTo(wish.results, place);
    const systems = Array.from({ length: count }, () => drawNew(random, known));
    const points = systems.map((system) => drawPoints(system, random, Math.floor(results / count)));
    const shares = share(
      results,
      systems.map(() => pareto(random, tail, most) - 0.99),
      points.map((of) => of.length),
    );
    yield {
      place,
      systems: systems.map((system, at) => ({ system, sweeps: toSweeps(points[at] ?? [], shares[at] ?? 0) })),
      results,
      points: points.reduce((sum, of) => sum + of.length, 0),
      firstPoint,
    };
    firstPoint += points.reduce((sum, of) => sum + of.length, 0);
  }
}

/** A new system; after a few attempts, a unique build of an engine. */
function drawNew(random: Random, known: Set<string>): System {
  for (let attempt = 0; ; attempt += 1) {
    const system = drawSystem(random, attempt > 2);
    const id = idOfFacts('sys', systemKey(system));
    if (known.has(id)) continue;
    known.add(id);
    return system;
  }
}
