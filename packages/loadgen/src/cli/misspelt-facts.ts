import { resolveEngine, resolveGpu, resolveQuantization } from '@inferboard/core/catalogue/index';

/** Facts that are nearly, and not quite, in the catalogue: a result with them would wait for review. */
export function findMisspelt(given: Partial<Record<'gpu' | 'engine' | 'quantization', string>>): string[] {
  const known = {
    gpu: (name: string) => resolveGpu(name),
    engine: (name: string) => resolveEngine(name),
    quantization: (name: string) => resolveQuantization(name),
  };
  return Object.entries(known).flatMap(([option, resolve]) => {
    const name = given[option as keyof typeof known];
    if (name === undefined) return [];
    const found: { id: string | null; family?: string | null; suggestions?: readonly string[] } = resolve(name);
    const { id, family = null, suggestions = [] } = found;
    if (id !== null || family !== null || suggestions.length === 0) return [];
    return [
      `--${option}: "${name}" is not in the catalogue. Closest: ${suggestions.join(', ')}. To keep the name, add --unknown-facts keep.`,
    ];
  });
}
