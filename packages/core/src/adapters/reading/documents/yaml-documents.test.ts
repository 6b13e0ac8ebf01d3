import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { ArtifactText } from '../text/artifact-text.ts';

const contentOf = (text: string) => new ArtifactText(text.split('\n')).json;
const documentsOf = (text: string) => contentOf(text).documents;

describe('a report in YAML', () => {
  test('is found between other lines, with its line numbers', () => {
    const text = '$ cat report.yaml\nmetadata:\n  version: 1\nbenchmarks:\n- a: 1.50\n\n- a: .inf\nSaved!\n';
    expect(documentsOf(text)).toEqual([
      {
        value: { metadata: { version: 1 }, benchmarks: [{ a: 1.5 }, { a: Number.POSITIVE_INFINITY }] },
        from: 2,
        to: 7,
      },
    ]);
  });

  test('is separated from another one by document markers', () => {
    const one = 'version: "0.1"\nmetrics:\n  n: 1\n';
    expect(documentsOf(`---\n${one}---\n${one}...\n`).map(({ from, to }) => [from, to])).toEqual([
      [2, 4],
      [6, 8],
    ]);
  });

  test.each<[string, unknown]>([
    ['no', 'no'],
    ['on', 'on'],
    ['2025-11-20', '2025-11-20'],
    ['12:30', '12:30'],
    ['1_000', '1_000'],
    ['0x10', 16],
    ['.nan', null],
    ['~', null],
    ['1e309', '1e309'],
    ['9007199254740993', '9007199254740992'],
    ['"a\\0b"', 'ab'],
    ['"\\ud800"', '\ufffd'],
  ])('contains %s as %j', (written, value) => {
    expect(documentsOf(`version: 1\nresults:\n  a: ${written}\n`)[0]?.value).toEqual({
      version: 1,
      results: { a: value },
    });
  });

  test('may have comments', () => {
    expect(documentsOf('version: 1 # of the schema\nscenario: # what was asked\n  a: 1\n')[0]?.value).toEqual({
      version: 1,
      scenario: { a: 1 },
    });
  });

  test('may contain a flow mapping, which is not read as JSON', () => {
    const text = 'version: 1\nresults:\n  {"a": 1,\n   "b": 2}\n';
    expect(documentsOf(text)).toEqual([{ value: { version: 1, results: { a: 1, b: 2 } }, from: 1, to: 4 }]);
  });

  test('may appear next to JSON in one artifact, in order', () => {
    const text = '{"x": 1}\nversion: 1\nresults:\n  a: 2\n```\n{"y": 3}';
    expect(documentsOf(text).map(({ from }) => from)).toEqual([1, 2, 6]);
  });
});

test.each<[string, number, string]>([
  ['version: 1\nresults:\n  a: 1\n  a: 2\n', 4, 'duplicated mapping key'],
  ['version: 1\nresults:\n  a: !!python/object:x.Y {}\n', 3, 'unknown mapping tag'],
  ['version: 1\nresults:\n  a: [1, 2\nmore: 2\n', 4, 'indentation'],
  ['version: 1\nresults:\n\ta: 1\n', 3, 'tab'],
  [`version: 1\nresults:\n  a: ${'['.repeat(500)}\n`, 3, 'nesting'],
])('%j is broken on line %i', (text, line, reason) => {
  expect(contentOf(text)).toEqual({
    documents: [],
    broken: [{ code: 'yaml_broken', line, message: expect.stringContaining(reason) }],
  });
});

test('resolves aliases up to a limit of values', () => {
  expect(documentsOf('version: &v 1\nresults:\n  a: *v\n')[0]?.value).toEqual({ version: 1, results: { a: 1 } });
  const letters = [...'abcdefgh'];
  const bomb = letters.map(
    (letter, i) => `${letter}: &${letter} [${Array(9).fill(i === 0 ? 'x' : `*${letters[i - 1]}`)}]`,
  );
  expect(contentOf(`${bomb.join('\n')}\nresults:\n  a: *h\n`).broken).toMatchObject([
    { message: expect.stringContaining('more than 500000 values') },
  ]);
});

test('reads a list of objects under one key as a report', () => {
  expect(documentsOf('benchmarks:\n- a: 1\n  b: 2\n- a: 3\n')).toMatchObject([
    { value: { benchmarks: [{ a: 1, b: 2 }, { a: 3 }] } },
  ]);
});

test.each([
  'results:\n  only one name\n',
  'results:\n- first, we measured: nothing: at all\n- then\n',
  'INFO: results follow\nDone: yes\n',
  'Throughput: 3.2 requests/s\nAvg latency: 1.5 seconds\n',
  '  version: 1\n  results:\n    indented: 1\n',
])('does not read %j as a report', (text) => {
  expect(contentOf(text)).toEqual({ documents: [], broken: [] });
});

test('reads back a report from any YAML writer', () => {
  const value = fc
    .jsonValue({ maxDepth: 4 })
    // The first one drops the key, and figures above 2^53 become text.
    .filter((made) => !/__proto__|[\d.]{16}|e\+/.test(JSON.stringify(made)));
  fc.assert(
    fc.property(value, fc.boolean(), (made, flow) => {
      const report = { version: 1, results: { made } };
      const written = dump(report, flow ? { flowLevel: 2 } : {});
      const [document] = documentsOf(written);
      expect(JSON.parse(JSON.stringify(document?.value))).toEqual(
        JSON.parse(
          JSON.stringify(report, (_, item) =>
            typeof item === 'string' ? item.toWellFormed().replaceAll('\0', '') : item,
          ),
        ),
      );
    }),
  );
});
