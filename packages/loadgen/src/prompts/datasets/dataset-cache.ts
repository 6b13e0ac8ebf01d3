import type { DatasetId, NamedSources } from '@inferboard/core/plans/datasets';
import { DatasetError } from './dataset-error.ts';
import { type Dataset, loadDataset } from './load-dataset.ts';
import type { DatasetSource } from './source.ts';

const isAddress = (place: string) => /^https?:\/\//i.test(place);

/** Reads each data set once, at its first use. One that could not be loaded is tried again. */
export function createDatasetCache(
  sources: NamedSources,
  fetch: (address: string, bytesMax: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>>,
): (id: DatasetId) => Promise<Dataset> {
  const shelf = new Map<DatasetId, Promise<Dataset>>();
  return (id) => {
    const known = shelf.get(id);
    if (known !== undefined) return known;
    const place = sources.get(id);
    if (place === undefined)
      return Promise.reject(new DatasetError('file_missing', `no location is given for the data set ${id}`));
    const source: DatasetSource = isAddress(place)
      ? { name: id, fetch: (bytesMax) => fetch(place, bytesMax) }
      : { path: place };
    const loading = loadDataset(id, source);
    shelf.set(id, loading);
    loading.catch(() => shelf.delete(id));
    return loading;
  };
}
