import type { Api, CatalogueItem } from '../../../lib/api.ts';
import type { Kind } from './catalogue-facts.ts';
import { type Found, findItem } from './catalogue-find.ts';

/** The header data of a catalogue entry's page. */
export interface OpenedEntry {
  kind: Kind;
  /** The slug of the URL. */
  slug: string;
  found: Found;
  /** All entries of the kind. */
  list: readonly CatalogueItem[];
  /** URL of the page. */
  path: string;
}

function readable(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Reads the data for `/{folder}/{slug}`. Redirects an alias to its entry's page; responds 404 for an unknown entry. */
export async function openEntry(api: Api, kind: Kind, address = ''): Promise<OpenedEntry> {
  // The router does not decode reserved characters: pp2048%40d32768.
  const slug = readable(address);
  const { data } = await api.listCatalogue(kind.folder);
  const list = data?.data ?? [];
  const found = findItem(kind, slug, list);
  return { kind, slug, found, list, path: `/${kind.folder}/${encodeURIComponent(found.item?.id ?? slug)}` };
}
