import type { Api, System } from './api.ts';
import { type PublishedSource, publishedSource } from './published-source.ts';

/** Where the imported figures of a system were published. */
export type SourcesOf = (systemId: string) => readonly PublishedSource[];

export type ListedSystem = System & {
  point_count: number;
  sources: readonly NonNullable<Parameters<typeof publishedSource>[0]>[];
};

/** The sources in words, each once. */
export function distinctSources(given: readonly Parameters<typeof publishedSource>[0][]): PublishedSource[] {
  const found = given.flatMap((source) => publishedSource(source) ?? []);
  return [
    ...new Map(found.map((source) => [JSON.stringify([source.title, source.entry, source.href]), source])).values(),
  ];
}

/** As many values as a repeated parameter may have. */
const valuesMax = 50;

/** Asks where the imported figures of some systems were published. */
export async function readSources(api: Api, ids: Iterable<string>): Promise<SourcesOf> {
  const all = [...new Set(ids)];
  const chunks = Array.from({ length: Math.ceil(all.length / valuesMax) }, (_, at) =>
    all.slice(at * valuesMax, (at + 1) * valuesMax),
  );
  const answers = await Promise.all(chunks.map((system) => api.listSystems({ system, limit: [String(valuesMax)] })));
  const systems = answers.flatMap(({ data }) => data?.data ?? []);
  const sources = new Map(systems.map((system) => [system.id, distinctSources(system.sources)]));
  return (id) => sources.get(id) ?? [];
}
