import {
  engines,
  gpuFamilies,
  gpus,
  models,
  quantizations,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../catalogue/index.ts';
import { countWords, type Match, matches, matchNames, type Named, toNamed } from './match.ts';
import type { Search } from './words.ts';

/** What a search finds. */
export interface Found {
  kind: 'model' | 'gpu' | 'quantization' | 'engine' | 'system' | 'account' | 'submission';
  id: string;
  name: string;
  /** What distinguishes it from others with the same name; null if nothing does. */
  detail: string | null;
  match: Match;
}

type Entry = Omit<Found, 'match'> & Named;

const entry = (kind: Found['kind'], id: string, name: string, detail: string | null, aliases: readonly string[]) => ({
  ...{ kind, id, name, detail },
  ...toNamed([id, name, ...aliases]),
});

const vendors = { nvidia: 'NVIDIA', amd: 'AMD', intel: 'Intel', apple: 'Apple', google: 'Google' } as const;

const entries: readonly Entry[] = [
  ...models.map(({ id, name, developer, aliases }) => entry('model', id, name, developer, aliases)),
  ...gpuFamilies
    .filter(({ id }) => !gpus.some((gpu) => gpu.id === id))
    .map(({ id, name }) => entry('gpu', id, name, 'all variants', [])),
  ...gpus.map(({ id, name, vendor, aliases }) => entry('gpu', id, name, vendors[vendor], aliases)),
  ...quantizations.map(({ id, family, aliases }) => entry('quantization', id, id, family, aliases)),
  ...engines.map(({ id, name, aliases }) => entry('engine', id, name, null, aliases)),
];

/** Sorts search results: best match first, then the shorter name. */
export function byMatch(a: Omit<Found, 'kind'>, b: Omit<Found, 'kind'>): number {
  return (
    matches.indexOf(a.match) - matches.indexOf(b.match) ||
    a.name.length - b.name.length ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function similar(text: string): Found[] {
  const suggested = [
    ...resolveModel(text).suggestions,
    ...resolveGpu(text).suggestions,
    ...resolveQuantization(text).suggestions,
    ...resolveEngine(text).suggestions,
  ];
  return entries
    .filter(({ id }) => suggested.includes(id))
    .map(({ kind, id, name, detail }) => ({ kind, id, name, detail, match: 'similar' }));
}

/** Among entries that match some of the words, returns those of each kind with the most matches. */
function mostWords(found: readonly (Found & { count: number })[]): Found[] {
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((list) => {
    const most = Math.max(...list.map(({ count }) => count));
    return list.filter(({ count }) => count === most).map(({ count: _, ...entry }) => entry);
  });
}

/**
 * Models, GPUs, quantizations and engines of the catalogue that match, best first. Entries that match only some of the
 * words are returned if none matches all, and entries with a similar name if no word matches.
 */
export function searchCatalogue(text: string, search: Search): Found[] {
  const found = entries.flatMap(({ kind, id, name, detail, ...named }) => {
    const match = matchNames(search, named);
    return match === null ? [] : [{ kind, id, name, detail, match, count: countWords(search, named) }];
  });
  const whole = found.filter(({ match }) => match !== 'some').map(({ count: _, ...entry }) => entry);
  const [best] = [whole, mostWords(found), similar(text)].filter((list) => list.length > 0);
  return (best ?? []).toSorted(byMatch);
}
