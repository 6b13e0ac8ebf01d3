import type { ParsedResult } from './adapter.ts';

/** How much a result knows about what it measured; of two copies the one with its log before it knows more. */
function countFacts({ system, scenario, load }: ParsedResult): number {
  return [...Object.values(system), ...Object.values(scenario), load].filter((fact) => fact !== null).length;
}

function compatible<T>(a: { value: T } | null, b: { value: T } | null): boolean {
  return a === null || b === null || a.value === b.value;
}

function agree(a: ParsedResult, b: ParsedResult): boolean {
  const systems = (['model', 'quantization', 'gpu', 'gpuCount', 'engine', 'engineVersion'] as const).every((key) =>
    compatible<string | number>(a.system[key], b.system[key]),
  );
  const scenarios = (['name', 'inputTokens', 'outputTokens', 'dataset'] as const).every((key) =>
    compatible<string | number>(a.scenario[key], b.scenario[key]),
  );
  return systems && scenarios;
}

/** Everything that identifies the numbers of a block; only blocks that are equal in it can be copies. */
function fingerprint({ kind, metrics, repeats, extra, scenario, system }: ParsedResult): string {
  const sorted = (values: object) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([kind, sorted(metrics), repeats, sorted(extra), scenario.depth, scenario.kernel, sorted(system.features)]);
}

/**
 * Drops copies: a log and its `tee` in one paste show the same block twice, which is one measurement. The copy that knows
 * more is kept, with a note. Takes results in order of appearance that came from text, not from records.
 */
export function mergeIdentical<R extends ParsedResult>(results: readonly R[]): R[] {
  const kept: R[] = [];
  const byFigures = new Map<string, number[]>();
  for (const result of results) {
    const key = fingerprint(result);
    const candidates = byFigures.get(key) ?? [];
    // Looking at a few is enough: copies of copies agree with the first.
    const index = candidates.slice(0, 8).find((candidate) => {
      const other = kept[candidate];
      return other !== undefined && agree(other, result);
    });
    const other = index === undefined ? undefined : kept[index];
    if (index === undefined || other === undefined) {
      byFigures.set(key, [...candidates, kept.length]);
      kept.push(result);
      continue;
    }
    const [better, copy] = countFacts(result) > countFacts(other) ? [result, other] : [other, result];
    const message = `The same figures stand on line ${copy.lines.from} again; they are one result.`;
    const evidence = { from: copy.lines.from, to: copy.lines.to };
    const notes = [...other.notes.filter((note) => note.code === 'identical_block' && better !== other), ...better.notes];
    kept[index] = { ...better, notes: [...notes, { code: 'identical_block', severity: 'info', message, evidence }] };
  }
  return kept;
}
