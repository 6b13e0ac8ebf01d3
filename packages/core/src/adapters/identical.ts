import type { ParsedResult, ReaderNote } from './adapter.ts';

/** How much a result knows about what it measured; of two copies the one with its log before it knows more. */
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

/** Everything printed that identifies the numbers of a block; only blocks that are equal in it can be copies. */
function fingerprint({ kind, metrics, repeats, scenario, system }: ParsedResult): string {
  const sorted = <T>(values: Readonly<Record<string, T>>) =>
    Object.keys(values)
      .sort()
      .map((name) => [name, values[name]]);
  // The log before a block can tell that none failed, where the block itself does not.
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
  const message = `The same figures stand in the artifact ${times}, at line ${copies[0]}; they are one result.`;
  return { code: 'identical_block', severity: 'info', message, evidence: { lines: copies.slice(0, 20) } };
}

/**
 * Drops copies: a log and its `tee` in one paste show the same block twice, which is one measurement. The copy that knows
 * more is kept, with a note. Takes results in order of appearance that came from text, not from records.
 */
export function mergeIdentical<R extends ParsedResult>(results: readonly R[]): R[] {
  const kept: { result: R; copies: number[] }[] = [];
  const byFigures = new Map<string, typeof kept>();
  for (const result of results) {
    const key = fingerprint(result);
    const alike = byFigures.get(key) ?? [];
    byFigures.set(key, alike);
    // Looking at a few is enough: copies of copies agree with the first.
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
