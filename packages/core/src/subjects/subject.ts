import { loadKey } from './load.ts';
import type { Result } from './result.ts';
import { scenarioKey } from './scenario.ts';
import { systemKey } from './system.ts';

/** A result to check, with the related results of its artifact. */
export interface Subject {
  result: Result;
  /** All results of the same point in artifact order, including this one. */
  repetitions: readonly Result[];
  /** The first result of the same system, scenario and mode for a single user or a batch of one. */
  single: Result | null;
}

/** A result without related results. */
export function alone(result: Result): Subject {
  return { result, repetitions: [result], single: null };
}

/** Caches a text per system object; lines of one artifact usually share theirs. */
function remembered<K extends object>(make: (key: K) => string): (key: K) => string {
  const known = new Map<K, string>();
  return (key) => {
    const text = known.get(key) ?? make(key);
    known.set(key, text);
    return text;
  };
}

/** Returns each result of an artifact with its related results, in order. O(n). */
export function subjectsOf(results: readonly Result[]): Subject[] {
  if (results.length === 1) return results.map(alone);
  const systemText = remembered(systemKey);
  const keyed = results.map((result) => {
    const workload = `${result.kind} ${systemText(result.system)} ${scenarioKey(result.scenario)}`;
    return { result, workload: `${workload} ${result.load.mode}`, point: `${workload} ${loadKey(result.load)}` };
  });
  const points = Map.groupBy(keyed, ({ point }) => point);
  const singles = new Map<string, Result>();
  for (const { result, workload } of keyed) {
    if (result.load.level === 1 && !singles.has(workload)) singles.set(workload, result);
  }
  const repetitions = new Map([...points].map(([point, of]) => [point, of.map(({ result }) => result)]));
  return keyed.map(({ result, workload, point }) => ({
    result,
    repetitions: repetitions.get(point) ?? [result],
    single: singles.get(workload) ?? null,
  }));
}
