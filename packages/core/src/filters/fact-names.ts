import { findGpuFamily } from '../catalogue/gpus.ts';
import { findModelFamily } from '../catalogue/models.ts';
import type { Filters, Match } from './filters.ts';

/** Facts by which the systems of each board are counted when results are stored. */
export const countedFacts = ['model', 'gpu'] as const;
export type CountedFact = (typeof countedFacts)[number];

/** Facts by which points are counted. */
export const usedFacts = [...countedFacts, 'quantization', 'engine'] as const;
export type UsedFact = (typeof usedFacts)[number];

/** Names that a fact may have: the ids of the catalogue, a family without a variant, or a name that it does not know. */
export interface FactNames {
  fact: CountedFact;
  names: readonly string[];
}

const withMembers = (family: string, members: readonly string[] = []) => [family, ...members];

const membersOf: Record<CountedFact, (family: string) => string[]> = {
  model: (family) => withMembers(family, findModelFamily(family)?.members),
  gpu: (family) => withMembers(family, findGpuFamily(family)?.members),
};

function namesOf(fact: CountedFact, match: Match): string[] {
  if (match.by === 'id') return [match.id];
  return match.by === 'family' ? membersOf[fact](match.family) : [match.key];
}

/** The models and GPUs that filters ask for, as the names under which they are counted. */
export function factNames({ model, modelFamily, gpu }: Pick<Filters, 'model' | 'modelFamily' | 'gpu'>): FactNames[] {
  const families = modelFamily?.flatMap(membersOf.model);
  const models = model?.flatMap((match) => namesOf('model', match));
  const both = models === undefined ? families : models.filter((name) => families?.includes(name) ?? true);
  const asked: [CountedFact, string[] | undefined][] = [
    ['model', both],
    ['gpu', gpu?.flatMap((match) => namesOf('gpu', match))],
  ];
  return asked.flatMap(([fact, names]) => (names === undefined ? [] : [{ fact, names: [...new Set(names)] }]));
}
