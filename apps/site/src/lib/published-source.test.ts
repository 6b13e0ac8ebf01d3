import { expect, test } from 'vitest';
import { publishedSource } from './published-source.ts';

const nothing = { publisher: null, title: null, entry: null, url: null };

test('a source is named by its publication, else by who published it', () => {
  const url = 'https://example.org/results';
  expect(
    publishedSource({ ...nothing, publisher: 'MLCommons', title: 'MLPerf Inference v5.1', entry: '5.1-0001', url }),
  ).toEqual({ title: 'MLPerf Inference v5.1', entry: '5.1-0001', href: url });
  expect(publishedSource({ ...nothing, publisher: 'MLCommons' })).toEqual({
    title: 'MLCommons',
    entry: null,
    href: null,
  });
});

test('nothing is no source, and only web addresses are links', () => {
  expect(publishedSource(nothing)).toBeNull();
  expect(publishedSource(null)).toBeNull();
  expect(publishedSource({ ...nothing, title: 'x', url: 'javascript:alert(1)' })?.href).toBeNull();
});
