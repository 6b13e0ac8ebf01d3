import { findGpuFamily } from '../catalogue/gpus.ts';
import { findModelFamily } from '../catalogue/models.ts';
import type { Filters, Match } from './filters.ts';

/** Facts by which each board counts its systems when results are stored. */
export const countedFacts = ['model', 'gpu'] as const;
export type CountedFact = (typeof countedFacts)[number];

/** Facts by which points are counted. */
export const usedFacts = [...countedFacts, 'quantization', 'engine'] as const;
export type UsedFact = (typeof usedFacts)[number];

/** Possible names of a fact: catalogue ids, a family without a variant, or an unknown name. */
export interface FactNames {
  fact: CountedFact;
  names: readonly string[];
}

const withMembers = (family: string, members: readonly string[] = []) => [family, ...members];

const membersOf: Record<CountedFact, (family: string) => string[]> = {
  model: (family) => withMembers(family, findModelFamily(family)?.members),
  gpu: (family) => withMembers(family, findGpuFamily(family)?.members),
};

/** Null if a filter matches a name as written: a system may have that name but be counted under its mapped entry. */
function namesOf(fact: CountedFact, matches: readonly Match[]): string[] | null {
  const names = matches.map((match) => {
    if (match.by === 'name') return null;
    return match.by === 'id' ? [match.id] : membersOf[fact](match.family);
  });
  return names.includes(null) ? null : [...new Set(names.flatMap((one) => one ?? []))];
}

function modelNames({ model, modelFamily }: Filters): string[] | null {
  const families = modelFamily?.flatMap(membersOf.model);
  if (model === undefined) return families ?? null;
  return namesOf('model', model)?.filter((name) => families?.includes(name) ?? true) ?? null;
}

/** Splits filters into models and GPUs, under the names used for counting, and all other filters. */
export function splitFacts(filters: Filters): { facts: FactNames[]; others: Filters } {
  const { model, modelFamily, gpu, ...others } = filters;
  const models = modelNames(filters);
  const gpus = gpu === undefined ? null : namesOf('gpu', gpu);
  return {
    facts: [
      ...(models === null ? [] : [{ fact: 'model' as const, names: models }]),
      ...(gpus === null ? [] : [{ fact: 'gpu' as const, names: gpus }]),
    ],
    others: {
      ...others,
      ...(models === null && model !== undefined && { model }),
      ...(models === null && modelFamily !== undefined && { modelFamily }),
      ...(gpus === null && gpu !== undefined && { gpu }),
    },
  };
}
