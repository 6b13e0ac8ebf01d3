import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatasetId, datasetIds } from '@inferboard/core/plans/datasets';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { datasetKinds } from './kinds.ts';
import { type DatasetLimits, defaultDatasetLimits } from './limits.ts';
import { loadDataset } from './load-dataset.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../../fixtures', name);
const limits = (part: Partial<DatasetLimits>): DatasetLimits => ({ ...defaultDatasetLimits, ...part });
const of = (bytes: Uint8Array | string) => ({
  name: 'fetched',
  fetch: async () => (typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes),
});

async function* pieces(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'datasets-'));
});
afterAll(() => rm(folder, { recursive: true }));

const numina = async () =>
  (await readFile(fixture('numina-math.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line): { problem: string; solution: string } => JSON.parse(line));

async function numinaParquet(columns = ['source', 'problem', 'solution'], rowGroupSize = 2): Promise<Uint8Array> {
  const rows = await numina();
  const data = columns.map((name) => ({
    name,
    data: rows.map((row) => new Map(Object.entries(row)).get(name) ?? 'own'),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData: data, rowGroupSize }));
}

test('ShareGPT: reads the first question and its answer, and counts unusable records', async () => {
  const dataset = await loadDataset('sharegpt', { path: fixture('sharegpt.json') });
  expect(dataset).toMatchObject({
    ...{ id: 'sharegpt', read: 7, isPartial: false },
    skipped: { no_exchange: 2, text_empty: 1, text_unfit: 1 },
  });
  expect(dataset.records.map(({ record }) => record)).toEqual([1, 2, 7]);
  expect(dataset.records[0]).toEqual({
    record: 1,
    prompt: 'Name three rivers of Europe and the sea each of them ends in.',
    answer: 'The Danube ends in the Black Sea, the Rhine in the North Sea and the Ebro in the Mediterranean Sea.',
  });
  expect(dataset.records[1]?.prompt).toContain('{braces} and a backslash \\ in');
});

test('NuminaMath: reads problem and solution', async () => {
  const { records } = await loadDataset('numina-math', { path: fixture('numina-math.jsonl') });
  expect(records).toEqual(
    (await numina()).map(({ problem, solution }, index) => ({
      ...{ prompt: problem, answer: solution, record: index + 1 },
    })),
  );
});

test('edit_10k_char: reads file and change as one prompt, without a response', async () => {
  const { records, skipped } = await loadDataset('edit-10k', { path: fixture('edit-10k.jsonl') });
  expect(records).toHaveLength(2);
  expect(skipped).toEqual({ text_empty: 1 });
  expect(records[0]).toMatchObject({
    answer: null,
    prompt: expect.stringMatching(/def mean[\s\S]+Change:\n\nLet mean/),
  });
});

describe('the same records are read', () => {
  const expected = async () => (await loadDataset('numina-math', { path: fixture('numina-math.jsonl') })).records;

  test('from fetched bytes, from a stream of any chunks, and with a byte order mark', async () => {
    const bytes = await readFile(fixture('numina-math.jsonl'));
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    for (const source of [
      of(bytes),
      of(marked),
      { name: 'stream', fetch: async () => pieces(bytes, 3) },
      { name: 'stream', fetch: async () => pieces(marked, 1) },
      of(JSON.stringify(await numina())),
    ])
      expect((await loadDataset('numina-math', source)).records).toEqual(await expected());
  });

  test('from Parquet: a file, bytes or a stream, with one row group or several', async () => {
    for (const rowGroupSize of [1, 2, 100]) {
      const bytes = await numinaParquet(undefined, rowGroupSize);
      const path = join(folder, `${rowGroupSize}.parquet`);
      await writeFile(path, bytes);
      for (const source of [{ path }, of(bytes), { name: 'stream', fetch: async () => pieces(bytes, 5) }])
        expect((await loadDataset('numina-math', source)).records).toEqual(await expected());
    }
  });
});

describe('limits', () => {
  test('keep records from the beginning, and mark the rest as unread', async () => {
    const bytes = await numinaParquet();
    for (const source of [{ path: fixture('numina-math.jsonl') }, of(bytes)]) {
      const dataset = await loadDataset('numina-math', source, limits({ recordsMax: 3 }));
      expect(dataset.records).toHaveLength(3);
      expect(dataset).toMatchObject({ read: 3, isPartial: true });
    }
    const whole = await loadDataset('numina-math', of(bytes), limits({ recordsMax: 4 }));
    expect(whole).toMatchObject({ read: 4, isPartial: false });
  });

  test('apply to records examined, too', async () => {
    const dataset = await loadDataset('sharegpt', { path: fixture('sharegpt.json') }, limits({ recordsReadMax: 4 }));
    expect(dataset).toMatchObject({ read: 4, isPartial: true });
    expect(dataset.records).toHaveLength(2);
  });

  // ShareGPT has 672 MB. A run needs only a few.
  test('close a stream once there are enough records', async () => {
    let taken = 0;
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          taken++;
          yield new TextEncoder().encode('{"problem": "1 + 1?", "solution": "2"}\n');
        }
      } finally {
        isClosed = true;
      }
    }
    await loadDataset('numina-math', { name: 'endless', fetch: async () => endless() }, limits({ recordsMax: 10 }));
    expect(taken).toBeLessThan(20);
    expect(isClosed).toBe(true);
  });

  test('are passed to a fetch function as the maximum size', async () => {
    let allowed = 0;
    const fetch = async (bytesMax: number) => {
      allowed = bytesMax;
      return Buffer.from('{"problem": "1 + 1?", "solution": "2"}');
    };
    await loadDataset('numina-math', { name: 'x', fetch }, limits({ bytesMax: 77 }));
    expect(allowed).toBe(77);
  });
});

describe('an error has a code:', () => {
  const bytes = Buffer.from('{"problem": "1 + 1?", "solution": "2"}');
  const json = (text: string) => () => loadDataset('numina-math', of(text));
  test.each<[string, string, () => Promise<unknown>]>([
    ['a missing file', 'file_missing', () => loadDataset('sharegpt', { path: join(folder, 'none') })],
    ['a folder', 'file_unreadable', () => loadDataset('sharegpt', { path: folder })],
    [
      'a file that is too large',
      'too_large',
      () => loadDataset('sharegpt', { path: fixture('sharegpt.json') }, limits({ bytesMax: 10 })),
    ],
    ['too many bytes', 'too_large', () => loadDataset('numina-math', of(bytes), limits({ bytesMax: 10 }))],
    [
      'a stream that is too long',
      'too_large',
      () => loadDataset('numina-math', { name: 's', fetch: async () => pieces(bytes, 4) }, limits({ bytesMax: 10 })),
    ],
    [
      'a record that is too large',
      'too_large',
      () => loadDataset('numina-math', of(bytes), limits({ recordBytesMax: 10 })),
    ],
    [
      'a fetch that fails',
      'fetch_failed',
      () => loadDataset('sharegpt', { name: 'x', fetch: () => Promise.reject(new Error('refused')) }),
    ],
    [
      'a stream that fails',
      'fetch_failed',
      () =>
        loadDataset('numina-math', {
          name: 'x',
          fetch: async () =>
            (async function* () {
              yield bytes;
              throw new Error('reset');
            })(),
        }),
    ],
    ['an empty body', 'empty', json('')],
    ['blanks', 'empty', json(' \n\n ')],
    ['another format', 'format_unknown', json('id,problem\n1,x')],
    ['a compressed file', 'format_unknown', () => loadDataset('sharegpt', of(Uint8Array.of(0x1f, 0x8b, 8, 0)))],
    ['a truncated file', 'json_invalid', json('[{"problem": "1 + 1?"')],
    ['an empty list', 'no_usable_records', json('[]')],
    ['records of another form', 'no_usable_records', json('{"question": "1 + 1?"}')],
  ])('%s', async (_title, code, load) => {
    await expect(load()).rejects.toMatchObject({ name: 'DatasetError', code });
  });

  test('lists the required fields for records of another form', async () => {
    await expect(loadDataset('sharegpt', of('{"a": 1}\n{"a": 2}'))).rejects.toThrow(/fields_missing 2.*conversations/);
  });

  test('lists the columns of another Parquet file', async () => {
    const load = async () => loadDataset('numina-math', of(await numinaParquet(['source', 'problem'])));
    await expect(load()).rejects.toMatchObject({
      code: 'columns_missing',
      message: /solution; it has source, problem/,
    });
  });

  test('rejects damaged Parquet', async () => {
    const whole = await numinaParquet();
    const cut = whole.subarray(0, whole.length - 10);
    const bent = whole.slice();
    bent.fill(0xff, 4, 200);
    for (const broken of [cut, bent, whole.subarray(0, 6)])
      await expect(loadDataset('numina-math', of(broken))).rejects.toMatchObject({
        code: expect.stringMatching(/parquet_invalid|too_large|no_usable_records/),
      });
    await expect(loadDataset('numina-math', of(cut))).rejects.toMatchObject({ code: 'parquet_invalid' });
  });

  test('rejects Parquet whose pages decompress to more than the maximum of a record', async () => {
    const rows = Array.from({ length: 500 }, () => 'a'.repeat(1000));
    const packed = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'problem', data: rows.map((row, index) => `${index}${row}`) },
          { name: 'solution', data: rows },
        ],
        codec: 'SNAPPY',
      }),
    );
    await expect(loadDataset('numina-math', of(packed), limits({ recordBytesMax: 1000 }))).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});

test('leaves room for a response within the bounds of every data set', () => {
  for (const id of datasetIds satisfies readonly DatasetId[]) {
    const { promptTokensMax, totalTokensMax, outputTokens } = datasetKinds[id];
    expect(promptTokensMax + outputTokens).toBeLessThanOrEqual(totalTokensMax);
  }
});
