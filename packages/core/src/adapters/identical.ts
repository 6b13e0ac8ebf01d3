import type { ParsedResult, ReaderNote } from './adapter.ts';

/** Number of known facts of a result. If the log precedes only one of two copies, that copy has more facts. */
function countFacts({ system, scenario, load }: ParsedResult): number {
  return [...Object.values(system), ...Object.values(scenario), load].filter((fact) => fact !== null).length;
}

function compatible<T>(a: { value: T } | null, b: { value: T } | null): boolean {
  return a === null || b === null || a.value === b.value;
}

function agree(a: ParsedResult, b: ParsedResult): boolean {
  const systems = (
    ['model', 'quantization', 'gpu', 'gpuCount', 'gpuPowerLimitW', 'engine', 'engineVersion'] as const
  ).every((key) => compatible<string | number>(a.system[key], b.system[key]));
  const scenarios = (['name', 'inputTokens', 'outputTokens', 'dataset'] as const).every((key) =>
    compatible<string | number>(a.scenario[key], b.scenario[key]),
  );
  if (a.measuredAt !== null && b.measuredAt !== null && a.measuredAt !== b.measuredAt) return false;
  const extras = Object.keys(a.extra).every((key) => !Object.hasOwn(b.extra, key) || a.extra[key] === b.extra[key]);
  return systems && scenarios && extras;
}

/** All printed values that identify a block. Only blocks with equal values can be copies. */
function fingerprint({ kind, metrics, repeats, scenario, system }: ParsedResult): string {
  const sorted = <T>(values: Readonly<Record<string, T>>) =>
    Object.keys(values)
      .sort()
      .map((name) => [name, values[name]]);
  // The log before a block may show zero failures if the block does not.
  const { requests_failed: failed, ...printed } = metrics;
  return JSON.stringify([
    kind,
    sorted(printed),
    failed || null,
    repeats,
    scenario.depth,
    scenario.kernel,
    scenario.lengths ?? null,
    sorted(system.features),
  ]);
}

function toNote(copies: readonly number[]): ReaderNote {
  const times = copies.length === 1 ? 'once more' : `${copies.length} more times`;
  const message = `The same figures occur ${times} in the artifact, at line ${copies[0]}; they are one result.`;
  return { code: 'identical_block', severity: 'info', message, evidence: { lines: copies.slice(0, 20) } };
}

/** Digits that no two measurements share. */
const digitsLeast = 7;

/** True if a figure was written unrounded: two runs with this figure are one run. Counts may be equal by design. */
const isUnrounded = (value: number) =>
  !Number.isInteger(value) &&
  String(value)
    .replace(/e.*$/, '')
    .replace(/^[-0.]+|\./g, '').length >= digitsLeast;

/**
 * Drops copies: a log and its `tee` in one paste show the same block twice, which is one measurement. The copy with more
 * facts is kept, with a note. Takes results in order of appearance.
 */
export function mergeIdentical<R extends ParsedResult>(
  results: readonly R[],
  isComparable: (result: R) => boolean = () => true,
): R[] {
  const kept: { result: R; copies: number[] }[] = [];
  const byFigures = new Map<string, typeof kept>();
  for (const result of results) {
    if (!isComparable(result)) {
      kept.push({ result, copies: [] });
      continue;
    }
    const key = fingerprint(result);
    const alike = byFigures.get(key) ?? [];
    byFigures.set(key, alike);
    // Comparing with a few is enough: copies of copies agree with the first.
    const found = alike.slice(0, 8).find((other) => agree(other.result, result));
    if (found === undefined) {
      const entry = { result, copies: [] };
      kept.push(entry);
      alike.push(entry);
      continue;
    }
    const isBetter = countFacts(result) > countFacts(found.result);
    found.copies.push((isBetter ? found.result : result).lines.from);
    if (isBetter) found.result = result;
  }
  return kept.map(({ result, copies }) =>
    copies.length === 0 ? result : { ...result, notes: [...result.notes, toNote(copies)] },
  );
}

/**
 * Drops copies of records: the same file twice, or a run and a summary that includes it. Rounded figures may be equal by
 * chance, so records are compared only if a figure is unrounded. Two systems may have the same accuracy.
 */
export function mergeCopies<R extends ParsedResult>(records: readonly R[]): R[] {
  if (records.length < 2) return [...records];
  return mergeIdentical(records, ({ kind, metrics }) => kind === 'serving' && Object.values(metrics).some(isUnrounded));
}
