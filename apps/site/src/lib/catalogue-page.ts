import type { Api, CatalogueItem } from './api.ts';
import type { Kind } from './catalogue-facts.ts';
import { type Found, findItem } from './catalogue-find.ts';

/** What the page of one catalogue entry opens with. */
export interface OpenedEntry {
  kind: Kind;
  /** As the address has it. */
  slug: string;
  found: Found;
  /** All entries of the kind. */
  list: readonly CatalogueItem[];
  /** The page's own address. */
  path: string;
}

function readable(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Asked of the API for the page at `/{folder}/{slug}`. A page whose entry is known elsewhere redirects there; one that is not known is a 404. */
export async function openEntry(api: Api, kind: Kind, address = ''): Promise<OpenedEntry> {
  // The router leaves reserved characters as they were written: pp2048%40d32768.
  const slug = readable(address);
  const { data } = await api.listCatalogue(kind.folder);
  const list = data?.data ?? [];
  const found = findItem(kind, slug, list);
  return { kind, slug, found, list, path: `/${kind.folder}/${encodeURIComponent(found.item?.id ?? slug)}` };
}
