import { expect, test } from 'vitest';
import { commonSource, SourceSchema, toSource, withGeneral } from './source.ts';

const mlperf = {
  publisher: 'MLCommons',
  title: 'MLPerf Inference v5.1, Closed',
  url: 'https://github.com/mlcommons/inference_results_v5.1',
  licence: null,
  entry: '5.1-0001, AMD',
  retrieved_at: null,
};

test('has every field, or is null without any', () => {
  expect(toSource({ publisher: 'MLCommons' })).toEqual({
    ...{ publisher: 'MLCommons', title: null, url: null },
    ...{ licence: null, entry: null, retrieved_at: null },
  });
  expect(toSource({ publisher: null, title: undefined })).toBeNull();
});

test("fills missing fields of a result's source from the general one", () => {
  const general = toSource({ publisher: 'Somebody', licence: 'Apache-2.0', retrieved_at: '2026-08-15' });
  expect(withGeneral(mlperf, general)).toEqual({ ...mlperf, licence: 'Apache-2.0', retrieved_at: '2026-08-15' });
  expect(withGeneral(null, general)).toBe(general);
  expect(withGeneral(mlperf, null)).toBe(mlperf);
});

test('gives the fields that all sources of a submission share', () => {
  const other = { ...mlperf, entry: '5.1-0002, Dell' };
  expect(commonSource([mlperf, other])).toEqual({ ...mlperf, entry: null });
  expect(commonSource([mlperf, null])).toBeNull();
  expect(commonSource([])).toBeNull();
});

test.each([
  [{ url: 'javascript:alert(1)' }],
  [{ retrieved_at: 'yesterday' }],
  [{ publisher: '' }],
  [{ editor: 'somebody' }],
])('rejects %o', (source) => {
  expect(SourceSchema.safeParse(source).success).toBe(false);
});
