import type { Filters, Match } from '../filters/filters.ts';
import type { MetricKind } from '../metrics/metric.ts';
import type { ResultStatus } from '../result.ts';
import { parseWorkload } from '../workloads/workload-id.ts';
import { numbered } from './numbered.ts';
import { metricKinds, type PointTable, pointCodes, type SystemKeys } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { type Limits, type RowSet, rowsOfAll, rowsOfCodes, rowsWhere } from './row-set.ts';
import { rowsOfWords } from './table-sets.ts';

/** A test of systems that looks at one fact alone: those that are `alike` pass together. */
interface SystemTest {
  fact: string;
  alike(system: SystemKeys): string;
  passes(system: SystemKeys): boolean;
}

interface Keys {
  fact: string;
  id(system: SystemKeys): string | null;
  family?(system: SystemKeys): string | null;
  key(system: SystemKeys): string;
}

function anyMatch(matches: readonly Match[], { fact, id, family, key }: Keys): SystemTest {
  const tests = matches.map((match): ((system: SystemKeys) => boolean) => {
    if (match.by === 'name') return (system) => key(system) === match.key;
    if (match.by === 'family') return (system) => family?.(system) === match.family;
    const { recipe } = match;
    if (recipe === undefined) return (system) => id(system) === match.id;
    const wanted = new Set(recipe);
    return (system) => {
      const used = new Set(system.quantizationRecipe);
      return id(system) === match.id && used.size === wanted.size && [...wanted].every((step) => used.has(step));
    };
  });
  return {
    fact,
    alike: (system) =>
      JSON.stringify([
        id(system),
        family?.(system) ?? null,
        key(system),
        fact === 'quantization' ? system.quantizationRecipe : null,
      ]),
    passes: (system) => tests.some((test) => test(system)),
  };
}

function oneOf<T extends string | number>(
  fact: string,
  values: readonly T[],
  of: (system: SystemKeys) => T | null,
): SystemTest {
  const wanted = new Set(values);
  return {
    fact,
    alike: (system) => JSON.stringify(of(system)),
    passes: (system) => {
      const value = of(system);
      return value !== null && wanted.has(value);
    },
  };
}

function systemTests(filters: Filters): SystemTest[] {
  const { model, modelFamily, quantization, gpu, gpuCount, gpuPowerLimitW, engine, engineVersion, system } = filters;
  return [
    model &&
      anyMatch(model, { fact: 'model', id: (s) => s.modelId, family: (s) => s.modelFamily, key: (s) => s.modelKey }),
    modelFamily && oneOf('model family', modelFamily, (s) => s.modelFamily),
    quantization &&
      anyMatch(quantization, { fact: 'quantization', id: (s) => s.quantizationId, key: (s) => s.quantizationKey }),
    gpu && anyMatch(gpu, { fact: 'gpu', id: (s) => s.gpuId, family: (s) => s.gpuFamily, key: (s) => s.gpuKey }),
    gpuCount && oneOf('gpu count', gpuCount, (s) => s.gpuCount),
    gpuPowerLimitW && oneOf('power limit', gpuPowerLimitW, (s) => s.gpuPowerLimitW),
    engine && anyMatch(engine, { fact: 'engine', id: (s) => s.engineId, key: (s) => s.engineKey }),
    engineVersion && oneOf('engine version', engineVersion, (s) => s.engineVersion),
    system && oneOf('system', system, (s) => s.id),
  ].filter((test) => test !== undefined);
}

/** 1 for each system that passes all tests; null where there are none. Those alike are looked at once. */
function systemMarks(systems: readonly SystemKeys[], tests: readonly SystemTest[]): Uint8Array | null {
  if (tests.length === 0) return null;
  const passed = new Uint8Array(systems.length).fill(1);
  for (const { fact, alike, passes } of tests) {
    const { codes, keys } = numbered(systems, `test of ${fact}`, alike);
    /** 1: passes, 2: does not, 0: not looked at yet. */
    const verdicts = new Uint8Array(keys.length);
    for (let place = 0; place < systems.length; place += 1) {
      const code = codes[place] as number;
      if (verdicts[code] === 0) verdicts[code] = passes(systems[place] as SystemKeys) ? 1 : 2;
      if (verdicts[code] === 2) passed[place] = 0;
    }
  }
  return passed;
}

const allowed = (words: readonly string[], wanted: readonly string[]) =>
  Uint8Array.from(words, (word) => (wanted.includes(word) ? 1 : 0));

/** 1 for each workload that is asked for by its id or by its shape. */
const workloadMarks = (ids: readonly string[], wanted: readonly string[]) =>
  Uint8Array.from(ids, (id) => (wanted.includes(id) || wanted.includes(parseWorkload(id).shape) ? 1 : 0));

/**
 * Rows that are of what filters ask for: what was measured, of one kind or of any, and how it was asked. The same for all
 * rows of a point.
 * Not standing, trust and bounds; nor who sent a result, with what and when, which rows do not tell.
 */
function findAsked(table: PointTable, kind: MetricKind | null, filters: Filters): RowSet {
  const { length } = table;
  const { workload, regime, loadMode, loadLevel, minLoadLevel, maxLoadLevel } = filters;
  const notGone = rowsOfWords(table, 'status', allowed(pointCodes.status, pointCodes.status));
  const sets: RowSet[] = [];
  if (kind !== null) sets.push(rowsOfWords(table, 'kind', allowed(metricKinds, [kind])));
  const systems = systemMarks(table.systems, systemTests(filters));
  if (systems !== null) sets.push(rowsOfCodes(table.system, systems, length));
  if (workload) sets.push(rowsOfCodes(table.workload, workloadMarks(table.workloads, workload), length));
  if (regime) sets.push(rowsOfWords(table, 'regime', allowed(pointCodes.regime, regime)));
  if (loadMode) sets.push(rowsOfWords(table, 'loadMode', allowed(pointCodes.loadMode, loadMode)));
  if (loadLevel || minLoadLevel !== undefined || maxLoadLevel !== undefined) {
    const levels = loadLevel ? new Set(loadLevel) : null;
    // What has no level meets no limit of it: NaN compares with nothing.
    const [low, high] = [minLoadLevel ?? Number.NEGATIVE_INFINITY, maxLoadLevel ?? Number.POSITIVE_INFINITY];
    const { loadLevel: ofLevel } = table;
    sets.push(
      rowsWhere(length, (row) => {
        const level = ofLevel[row] as number;
        return level >= low && level <= high && (levels === null || levels.has(level));
      }),
    );
  }
  return rowsOfAll(notGone, ...sets);
}

const remembered = createMemory<RowSet>({ most: 24_000_000, weigh: (set) => 1 + set.length });

/**
 * All rows of points that filters ask for; found once for all metrics, bounds and standings. O(rows), and of those that
 * were found before nothing.
 */
export function askedRows(table: PointTable, kind: MetricKind | null, filters: Filters): RowSet {
  const { bounds: _, include: _i, trust: _t, account: _a, tool: _o, since: _s, until: _u, ...asked } = filters;
  return remembered(table, JSON.stringify([kind, asked]), () => findAsked(table, kind, filters));
}

/** Whether rows have a standing and a trust that filters ask for, by code. */
export function standingTests({ include, trust }: Filters): { status: Uint8Array; trust: Uint8Array } {
  return {
    status: allowed(pointCodes.status, ['accepted', ...include]),
    trust: allowed(pointCodes.trust, trust ?? pointCodes.trust),
  };
}

/** Standings that are listed without a number where they are included: their results do not rank. */
const withoutNumber: readonly ResultStatus[] = ['provisional', 'simulated', 'not_repetitions'];
const isNumberedCode = pointCodes.status.map((status) => !withoutNumber.includes(status));

/** Whether rows have a rank where they stand on a board. */
export function numberedTest({ status }: PointTable): (row: number) => boolean {
  return (row) => isNumberedCode[status[row] as number] === true;
}

/** What bounds make of the columns of a table. */
export function limitsOf(table: PointTable, { bounds }: Pick<Filters, 'bounds'>): Limits[] {
  return bounds.map(({ metric, side, value }) => ({
    values: table.values(metric),
    low: side === 'min' ? value : Number.NEGATIVE_INFINITY,
    high: side === 'max' ? value : Number.POSITIVE_INFINITY,
  }));
}
