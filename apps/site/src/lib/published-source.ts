import { isOpenDivisionTitle } from '@inferboard/core/workloads/open-division';

/** Where a figure was published, as it is shown beside it. */
export interface PublishedSource {
  /** Who published it and in what: "MLCommons: MLPerf Inference v5.1, Closed". */
  title: string;
  /** The publication alone, or its publisher: "InferenceX". */
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

/** A link that a stranger gave, if it is one a browser may follow from here. */
export function safeLink(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** Of a path the name of its file: the link leads to all of it. */
const shortEntry = (entry: string) => (/^\S+\/\S+$/.test(entry) ? entry.slice(entry.lastIndexOf('/') + 1) : entry);

/** A source in words; null where it names nothing. */
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
