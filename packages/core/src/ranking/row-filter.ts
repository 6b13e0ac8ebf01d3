import type { Filters, Match } from '../filters/filters.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { metricKinds, type PointTable, pointCodes, type SystemKeys } from './point-table.ts';

type SystemTest = (system: SystemKeys) => boolean;

interface Keys {
  id(system: SystemKeys): string | null;
  family?(system: SystemKeys): string | null;
  key(system: SystemKeys): string;
}

function anyMatch(matches: readonly Match[], { id, family, key }: Keys): SystemTest {
  const tests = matches.map((match): SystemTest => {
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
  return (system) => tests.some((test) => test(system));
}

function oneOf<T>(values: readonly T[], of: (system: SystemKeys) => T | null): SystemTest {
  const wanted = new Set(values);
  return (system) => {
    const value = of(system);
    return value !== null && wanted.has(value);
  };
}

function systemTests(filters: Filters): SystemTest[] {
  const { model, modelFamily, quantization, gpu, gpuCount, gpuPowerLimitW, engine, engineVersion, system } = filters;
  return [
    model && anyMatch(model, { id: (s) => s.modelId, family: (s) => s.modelFamily, key: (s) => s.modelKey }),
    modelFamily && oneOf(modelFamily, (s) => s.modelFamily),
    quantization && anyMatch(quantization, { id: (s) => s.quantizationId, key: (s) => s.quantizationKey }),
    gpu && anyMatch(gpu, { id: (s) => s.gpuId, family: (s) => s.gpuFamily, key: (s) => s.gpuKey }),
    gpuCount && oneOf(gpuCount, (s) => s.gpuCount),
    gpuPowerLimitW && oneOf(gpuPowerLimitW, (s) => s.gpuPowerLimitW),
    engine && anyMatch(engine, { id: (s) => s.engineId, key: (s) => s.engineKey }),
    engineVersion && oneOf(engineVersion, (s) => s.engineVersion),
    system && oneOf(system, (s) => s.id),
  ].filter((test) => test !== undefined);
}

/** 1 for each item that passes all tests; null where there are none. */
function marks<T>(items: readonly T[], tests: readonly ((item: T) => boolean)[]): Uint8Array | null {
  if (tests.length === 0) return null;
  // A loop: an iterator over hundreds of thousands of systems takes several times as long.
  const passed = new Uint8Array(items.length);
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place] as T;
    if (tests.every((test) => test(item))) passed[place] = 1;
  }
  return passed;
}

const allowed = (words: readonly string[], wanted: readonly string[]) =>
  Uint8Array.from(words, (word) => (wanted.includes(word) ? 1 : 0));

export type RowTest = (row: number) => boolean;

/**
 * Whether a row is of what filters ask for: what was measured, of one kind or of any, and how it was asked. The same for
 * all rows of a point.
 * Not standing, trust and bounds; nor who sent a result, with what and when, which rows do not tell.
 */
export function rowFilter(table: PointTable, kind: MetricKind | null, filters: Filters): RowTest {
  const systems = marks(table.systems, systemTests(filters));
  const { scenario, loadMode, loadLevel, minLoadLevel, maxLoadLevel } = filters;
  const scenarios = marks(table.scenarios, scenario ? [(name) => scenario.includes(name)] : []);
  const kindCode = kind === null ? null : metricKinds.indexOf(kind);
  const modes = loadMode ? allowed(pointCodes.loadMode, loadMode) : null;
  const levels = loadLevel ? new Set(loadLevel) : null;
  // What has no level meets no limit of it: NaN compares with nothing.
  const low = minLoadLevel ?? Number.NEGATIVE_INFINITY;
  const high = maxLoadLevel ?? Number.POSITIVE_INFINITY;
  const hasLevels = levels !== null || minLoadLevel !== undefined || maxLoadLevel !== undefined;
  const { kind: kinds, system, scenario: ofScenario, loadMode: ofMode, loadLevel: ofLevel } = table;
  // The codes of a row are places in its lists.
  return (row) => {
    if (kindCode !== null && kinds[row] !== kindCode) return false;
    if (systems !== null && systems[system[row] as number] === 0) return false;
    if (scenarios !== null && scenarios[ofScenario[row] as number] === 0) return false;
    if (modes !== null && modes[ofMode[row] as number] === 0) return false;
    if (!hasLevels) return true;
    const level = ofLevel[row] as number;
    return level >= low && level <= high && (levels === null || levels.has(level));
  };
}

/** Whether rows have a standing and a trust that filters ask for, by code. */
export function standingTests({ include, trust }: Filters): { status: Uint8Array; trust: Uint8Array } {
  return {
    status: allowed(pointCodes.status, ['accepted', ...include]),
    trust: allowed(pointCodes.trust, trust ?? pointCodes.trust),
  };
}

/** Those of the rows that meet all bounds, in their order; what is not known meets none. */
export function withinBounds(table: PointTable, rows: Int32Array, { bounds }: Pick<Filters, 'bounds'>): Int32Array {
  if (bounds.length === 0) return rows;
  const kept = new Int32Array(rows.length);
  let given = rows;
  let { length } = rows;
  for (const { metric, side, value } of bounds) {
    const values = table.values(metric);
    // NaN compares with nothing.
    const [low, high] = side === 'min' ? [value, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, value];
    let count = 0;
    for (let place = 0; place < length; place += 1) {
      const row = given[place] as number;
      const figure = values[row] as number;
      if (figure >= low && figure <= high) {
        kept[count] = row;
        count += 1;
      }
    }
    given = kept;
    length = count;
  }
  return kept.subarray(0, length);
}

/** Whether a row meets all bounds, NaN none. */
export function boundTest(table: PointTable, { bounds }: Pick<Filters, 'bounds'>): RowTest {
  const tests = bounds.map(({ metric, side, value }) => ({
    values: table.values(metric),
    isMin: side === 'min',
    value,
  }));
  return (row) => {
    for (const { values, isMin, value } of tests) {
      const figure = values[row] as number;
      if (!(isMin ? figure >= value : figure <= value)) return false;
    }
    return true;
  };
}
