/** Data sets that a load generator can send, by the scenario ids of the catalogue. */
export const datasetIds = ['sharegpt', 'numina-math', 'edit-10k'] as const;
export type DatasetId = (typeof datasetIds)[number];

/** Location of each data set: a file or an http(s) URL. */
export type NamedSources = ReadonlyMap<DatasetId, string>;

const isDataset = (id: string): id is DatasetId => datasetIds.some((known) => known === id);

/**
 * Parses `sharegpt=/data/sharegpt.json,numina-math=https://example.com/numina.parquet`.
 *
 * @throws RangeError that names the error
 */
export function readNamedSources(text: string): NamedSources {
  const sources = new Map<DatasetId, string>();
  for (const part of text.split(',').filter((part) => part.trim() !== '')) {
    const at = part.indexOf('=');
    const [id, place] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at < 0 || place === '') throw new RangeError(`"${part.trim()}" is not NAME=FILE or NAME=ADDRESS`);
    if (!isDataset(id)) throw new RangeError(`"${id}" is not a data set. Data sets: ${datasetIds.join(', ')}`);
    if (sources.has(id)) throw new RangeError(`${id} is given twice`);
    sources.set(id, place);
  }
  return sources;
}
