import { isOpenDivisionTitle } from '@inferboard/core/workloads/open-division';

/** The publication of a value, as shown next to it. */
export interface PublishedSource {
  /** Publisher and publication: "MLCommons: MLPerf Inference v5.1, Closed". */
  title: string;
  /** Only the publication, or its publisher: "InferenceX". */
  name: string;
  /** The entry within the publication. */
  entry: string | null;
  href: string | null;
  /** True of MLPerf's open division, whose entries may change the model of the benchmark. */
  isOpenDivision: boolean;
}

interface Stated {
  publisher?: string | null;
  title: string | null;
  entry: string | null;
  url: string | null;
}

/** A user-supplied link, if it is safe to follow from the site. */
export function safeLink(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** The file name of a path. The link has the full path. */
const shortEntry = (entry: string) => (/^\S+\/\S+$/.test(entry) ? entry.slice(entry.lastIndexOf('/') + 1) : entry);

/** A source in words; null if it names nothing. */
export function publishedSource(source: Stated | null | undefined): PublishedSource | null {
  const name = source?.title ?? source?.publisher ?? source?.url ?? null;
  if (source == null || name === null) return null;
  const publisher = source.publisher ?? null;
  return {
    title: publisher === null || name.includes(publisher) ? name : `${publisher}: ${name}`,
    name,
    entry: source.entry && shortEntry(source.entry),
    href: safeLink(source.url),
    isOpenDivision: isOpenDivisionTitle(name),
  };
}
