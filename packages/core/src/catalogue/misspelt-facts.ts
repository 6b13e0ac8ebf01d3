import { resolveEngine } from './engines.ts';
import { resolveGpu } from './gpus.ts';
import { resolveQuantization } from './quantizations.ts';

/** Facts whose names are compared with the catalogue. A result with an unknown one is held for review or never ranks. */
export const namedFacts = ['gpu', 'engine', 'quantization'] as const;
export type NamedFact = (typeof namedFacts)[number];

/** A name that the catalogue does not have, and that is similar to a name that it has. */
export interface MisspeltFact {
  fact: NamedFact;
  name: string;
  /** The closest entries of the catalogue; at least one. */
  suggestions: readonly string[];
}

interface Resolved {
  id: string | null;
  family?: string | null;
  suggestions: readonly string[];
}

const resolvers: Record<NamedFact, (name: string) => Resolved> = {
  gpu: resolveGpu,
  engine: resolveEngine,
  quantization: (name) => resolveQuantization(name),
};

/** Finds the names that are probably misspelt. A name unlike all names of the catalogue is not one of them. */
export function findMisspelt(given: Partial<Record<NamedFact, string | undefined>>): MisspeltFact[] {
  return namedFacts.flatMap((fact) => {
    const name = given[fact];
    if (name === undefined) return [];
    const { id, family = null, suggestions } = resolvers[fact](name);
    return id === null && family === null && suggestions.length > 0 ? [{ fact, name, suggestions }] : [];
  });
}
