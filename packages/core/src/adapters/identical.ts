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

/**
 * Drops copies: a log and its `tee` in one paste show the same block twice, which is one measurement. The copy with more
 * facts is kept, with a note. Takes results from text, not records, in order of appearance.
 */
export function mergeIdentical<R extends ParsedResult>(results: readonly R[]): R[] {
  const kept: { result: R; copies: number[] }[] = [];
  const byFigures = new Map<string, typeof kept>();
  for (const result of results) {
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
