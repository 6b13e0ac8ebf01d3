/** Data sets that a load generator can send, by the ids of their scenarios in the catalogue. */
export const datasetIds = ['sharegpt', 'numina-math', 'edit-10k'] as const;
export type DatasetId = (typeof datasetIds)[number];
