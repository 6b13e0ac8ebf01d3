import { type Addition, additionKinds, fromJsonFacts } from '@inferboard/core/catalogue/additions/additions';
import { extendCatalogue } from '@inferboard/core/catalogue/additions/extend';
import type { Api, CatalogueItem } from './api.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function toAddition({ kind: given, entry, facts, aliases }: CatalogueItem): Addition[] {
  const kind = additionKinds.find((known) => known === given);
  if (kind === undefined || typeof entry !== 'string' || !Array.isArray(aliases)) return [];
  return [{ kind, id: entry, facts: isObject(facts) ? fromJsonFacts(facts) : null, aliases: aliases.map(String) }];
}

let taken = '[]';

/**
 * Updates the site's catalogue from the API, its only source for added entries: links, names and facts use it. Runs before each
 * page is rendered. If the API does not respond, the catalogue does not change.
 */
export async function updateCatalogue(api: Pick<Api, 'listAdditions'>): Promise<void> {
  const { data } = await api.listAdditions();
  if (data === null) return;
  const additions = data.data.flatMap(toAddition);
  const asked = JSON.stringify(additions);
  if (asked === taken) return;
  extendCatalogue(additions);
  taken = asked;
}
