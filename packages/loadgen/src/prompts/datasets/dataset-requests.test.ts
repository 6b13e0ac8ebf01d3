import { join } from 'node:path';
import { scenarios } from '@inferboard/core/catalogue/records';
import { datasetIds } from '@inferboard/core/plans/datasets';
import { expect, test } from 'vitest';
import { type DatasetRequestOptions, datasetRequests, measureCharsPerToken } from './dataset-requests.ts';
import { type Dataset, loadDataset } from './load-dataset.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../../fixtures', name);
const numina = () => loadDataset('numina-math', { path: fixture('numina-math.jsonl') });
const options: DatasetRequestOptions = { count: 4, seed: 1, salt: 'run_1', charsPerToken: 4 };

const made = (...lengths: [prompt: number, answer: number][]): Dataset => ({
  ...{ id: 'sharegpt', name: 'made', read: lengths.length, skipped: {}, isPartial: false },
  records: lengths.map(([prompt, answer], index) => ({
    ...{ prompt: 'p'.repeat(prompt * 4), answer: 'a'.repeat(answer * 4), record: index + 1 },
  })),
});

test('lists only scenarios of the catalogue', () => {
  const recorded = scenarios.filter(({ inputTokens, dataset }) => inputTokens === null && dataset !== null);
  expect(recorded.map(({ id }) => id)).toEqual(expect.arrayContaining([...datasetIds]));
});

test('is reproducible with a seed, and differs with another', async () => {
  const dataset = await numina();
  expect(datasetRequests(dataset, options)).toEqual(datasetRequests(dataset, options));
  expect(datasetRequests(dataset, { ...options, seed: 2 })).not.toEqual(datasetRequests(dataset, options));
});

// A repeated record would be served from the cache. A run with more requests than records must repeat some.
test('uses every record once before repeating any, and gives each prompt a unique beginning', async () => {
  const requests = datasetRequests(await numina(), { ...options, count: 10 });
  expect(requests).toHaveLength(10);
  for (const round of [requests.slice(0, 4), requests.slice(4, 8)])
    expect(round.map(({ record }) => record).sort()).toEqual([1, 2, 3, 4]);
  expect(new Set(requests.map(({ prompt }) => prompt.slice(0, 20))).size).toBe(10);
});

test('gives the same records another beginning with another salt', async () => {
  const dataset = await numina();
  const [a, b] = [datasetRequests(dataset, options), datasetRequests(dataset, { ...options, salt: 'run_2' })];
  expect(a.map(({ record }) => record)).toEqual(b.map(({ record }) => record));
  for (const [index, request] of a.entries())
    expect(request.prompt.slice(0, 20)).not.toBe(b[index]?.prompt.slice(0, 20));
});

test('requests the recorded response length, up to the maximum', () => {
  const of = (part: Partial<DatasetRequestOptions>) =>
    datasetRequests(made([100, 50]), { ...options, count: 1, ...part });
  expect(of({})[0]?.outputTokens).toBe(50);
  expect(of({ charsPerToken: 2 })[0]?.outputTokens).toBe(100);
  expect(of({ outputTokensMax: 16 })[0]?.outputTokens).toBe(16);
});

test('uses the default length of the data set without recorded responses', async () => {
  const dataset = await loadDataset('edit-10k', { path: fixture('edit-10k.jsonl') });
  expect(datasetRequests(dataset, options).every(({ outputTokens }) => outputTokens === 4000)).toBe(true);
});

test('excludes records outside the bounds', () => {
  const dataset = made([3, 50], [50, 3], [1025, 50], [1000, 1049], [1024, 1024]);
  expect(datasetRequests(dataset, { ...options, count: 1 })).toMatchObject([{ record: 5 }]);
  expect(() => datasetRequests(made([1, 1]), options)).toThrow(expect.objectContaining({ code: 'no_usable_records' }));
});

test('measures characters per token with one count', async () => {
  const asked: string[] = [];
  const countTokens = async (text: string) => {
    asked.push(text);
    return text.length / 3.5;
  };
  expect(await measureCharsPerToken(await numina(), countTokens, 1)).toBeCloseTo(3.5, 12);
  expect(asked).toHaveLength(1);
  await expect(measureCharsPerToken(await numina(), async () => 0, 1)).rejects.toThrow(RangeError);
});
