import type { Api, System } from '../../../lib/api.ts';
import { type PublishedSource, publishedSource } from './published-source.ts';

/** The publications of a system's imported values. */
export type SourcesOf = (systemId: string) => readonly PublishedSource[];

export type ListedSystem = System & {
  point_count: number;
  sources: readonly NonNullable<Parameters<typeof publishedSource>[0]>[];
};

/** The sources in words, without duplicates. */
export function distinctSources(given: readonly Parameters<typeof publishedSource>[0][]): PublishedSource[] {
  const found = given.flatMap((source) => publishedSource(source) ?? []);
  return [
    ...new Map(found.map((source) => [JSON.stringify([source.title, source.entry, source.href]), source])).values(),
  ];
}

/** Maximum number of values of a repeated parameter. */
const valuesMax = 50;

/** Reads the publications of the imported values of some systems. */
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
