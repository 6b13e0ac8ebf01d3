import { expect, test } from 'vitest';
import { publishedSource } from './published-source.ts';

const nothing = { publisher: null, title: null, entry: null, url: null };

test('a source is named by its publication, or else by its publisher', () => {
  const url = 'https://example.org/results';
  expect(
    publishedSource({ ...nothing, publisher: 'MLCommons', title: 'MLPerf Inference v5.1', entry: '5.1-0001', url }),
  ).toEqual({
    title: 'MLCommons: MLPerf Inference v5.1',
    name: 'MLPerf Inference v5.1',
    entry: '5.1-0001',
    href: url,
    isOpenDivision: false,
  });
  expect(publishedSource({ ...nothing, publisher: 'MLCommons' })).toEqual({
    title: 'MLCommons',
    name: 'MLCommons',
    entry: null,
    href: null,
    isOpenDivision: false,
  });
});

test.each([
  ['MLPerf Inference v5.1, Open', true],
  ['MLPerf Inference v5.1, Closed', false],
  ['Open results', false],
])('detects whether "%s" is an open division: %s', (title, isOpenDivision) => {
  expect(publishedSource({ ...nothing, title })).toMatchObject({ isOpenDivision });
});

test('without data there is no source, and only web URLs are links', () => {
  expect(publishedSource(nothing)).toBeNull();
  expect(publishedSource(null)).toBeNull();
  expect(publishedSource({ ...nothing, title: 'x', url: 'javascript:alert(1)' })?.href).toBeNull();
});

test('shows the file name of a path', () => {
  const entry = 'benchmark/results/llama-2-7b.Q4_0__rocm7.log';
  expect(publishedSource({ ...nothing, title: 'logs', entry })?.entry).toBe('llama-2-7b.Q4_0__rocm7.log');
  const words = 'mi355x sglang fp4, 1024/1024, concurrency 4';
  expect(publishedSource({ ...nothing, title: 'InferenceX', entry: words })?.entry).toBe(words);
});
