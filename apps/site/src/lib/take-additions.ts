import { type Addition, additionKinds, fromJsonFacts } from '@inferboard/core/catalogue/additions';
import { extendCatalogue } from '@inferboard/core/catalogue/extend';
import type { Api, CatalogueItem } from './api.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function toAddition({ kind: given, entry, facts, aliases }: CatalogueItem): Addition[] {
  const kind = additionKinds.find((known) => known === given);
  if (kind === undefined || typeof entry !== 'string' || !Array.isArray(aliases)) return [];
  return [{ kind, id: entry, facts: isObject(facts) ? fromJsonFacts(facts) : null, aliases: aliases.map(String) }];
}

let taken = '[]';

/**
 * Makes the catalogue of the site the one of the API, which it has no other way to know: links, names and facts of entries
 * come from it. Asked before each page is rendered; where the API does not answer, the catalogue stays as it was.
 */
export async function takeAdditions(api: Pick<Api, 'listAdditions'>): Promise<void> {
  const { data } = await api.listAdditions();
  if (data === null) return;
  const additions = data.data.flatMap(toAddition);
  const asked = JSON.stringify(additions);
  if (asked === taken) return;
  extendCatalogue(additions);
  taken = asked;
}
