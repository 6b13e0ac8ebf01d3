/** Where a figure was published, as it is shown beside it. */
export interface PublishedSource {
  title: string;
  /** The entry within the publication. */
  entry: string | null;
  href: string | null;
}

interface Stated {
  publisher?: string | null;
  title: string | null;
  entry: string | null;
  url: string | null;
}

/** A link that a stranger gave, if it is one a browser may follow from here. */
export function safeLink(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** Of a path the name of its file: the link leads to all of it. */
const shortEntry = (entry: string) => (/^\S+\/\S+$/.test(entry) ? entry.slice(entry.lastIndexOf('/') + 1) : entry);

/** A source in words; null where it names nothing. */
export function publishedSource(source: Stated | null | undefined): PublishedSource | null {
  const title = source?.title ?? source?.publisher ?? source?.url ?? null;
  if (source == null || title === null) return null;
  return { title, entry: source.entry && shortEntry(source.entry), href: safeLink(source.url) };
}
