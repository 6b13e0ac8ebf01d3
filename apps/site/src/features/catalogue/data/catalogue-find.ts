import { findGpuFamily, resolveGpu, resolveModel, resolveQuantization } from '@inferboard/core/catalogue/index';
import { readScenarioName } from '@inferboard/core/catalogue/scenarios';
import type { CatalogueItem } from '../../../lib/api.ts';
import type { Kind } from './catalogue-facts.ts';
import { isNamed } from './catalogue-index.ts';

/** The match of a URL: an entry, an alias of one, or nothing. */
export type Found =
  | { item: CatalogueItem; elsewhere: null; suggestions: [] }
  | { item: null; elsewhere: string; suggestions: [] }
  | { item: null; elsewhere: null; suggestions: { id: string; name: string }[] };

const resolvers: Record<Kind['fact'], (text: string) => { id: string | null; suggestions: readonly string[] }> = {
  model: resolveModel,
  gpu: (text) => {
    const { id, family, suggestions } = resolveGpu(text);
    return { id: id ?? family, suggestions };
  },
  quantization: (text) => resolveQuantization(text),
  scenario: (text) => ({ id: readScenarioName(text), suggestions: [] }),
};

const suggestionsMax = 6;

/** Entries whose names share the most words with a text: suggestions for an unknown name. */
function nearby(slug: string, items: readonly CatalogueItem[]): CatalogueItem[] {
  const words = new Set(
    slug
      .toLowerCase()
      .split(/[^a-z0-9.]+/)
      .filter((word) => word.length > 1),
  );
  const shared = ({ id, name }: CatalogueItem) =>
    new Set(
      `${id} ${name}`
        .toLowerCase()
        .split(/[^a-z0-9.]+/)
        .filter((word) => words.has(word)),
    ).size;
  return items
    .filter((item) => shared(item) > 0)
    .toSorted((a, b) => shared(b) - shared(a) || (b.points ?? 0) - (a.points ?? 0));
}

/** The entry of a URL, by id or by any alias in the catalogue. */
export function findItem(kind: Kind, slug: string, items: readonly CatalogueItem[]): Found {
  const named = items.filter(isNamed);
  const item = named.find(({ id }) => id === slug);
  if (item !== undefined) return { item, elsewhere: null, suggestions: [] };
  // Each variant of a chip has a page; their family has one too.
  const family = kind.fact === 'gpu' ? findGpuFamily(slug) : null;
  if (family !== null)
    return { item: { id: family.id, name: family.name, points: 0 }, elsewhere: null, suggestions: [] };
  const { id, suggestions } = resolvers[kind.fact](slug);
  if (id !== null && id !== slug && (named.some((one) => one.id === id) || findGpuFamily(id) !== null))
    return { item: null, elsewhere: `/${kind.folder}/${encodeURIComponent(id)}`, suggestions: [] };
  const meant = suggestions.flatMap((one) => named.filter((candidate) => candidate.id === one));
  const used = named.filter(({ points }) => (points ?? 0) > 0);
  const offered = [...new Set([...meant, ...nearby(slug, named), ...used])].slice(0, suggestionsMax);
  return { item: null, elsewhere: null, suggestions: offered.map(({ id: found, name }) => ({ id: found, name })) };
}
