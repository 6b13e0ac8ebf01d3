import { expect, test } from 'vitest';
import {
  basedOn,
  compareApiPath,
  compareHref,
  pickerApiQuery,
  readCompareQuery,
  withoutSystem,
} from './compare-query.ts';

const read = (search: string) => readCompareQuery(new URLSearchParams(search));

test('all query forms have the same URL, with each system once', () => {
  for (const search of ['ids=a,b', 'ids=a&ids=b', 'system=a&system=b', 'ids=a,b&system=b&model='])
    expect(compareHref(read(search)), search).toBe('/compare?ids=a,b');
});

test('links keep filters and the chart metric; only filters are sent to the API', () => {
  const query = read('ids=a,b&metric=ttft_ms_mean&scenario=chatbot&scenario=rag');
  expect(compareHref(query)).toBe('/compare?ids=a,b&metric=ttft_ms_mean&scenario=chatbot&scenario=rag');
  expect(compareApiPath(query)).toBe('/v1/compare?system=a&system=b&scenario=chatbot&scenario=rag');
});

test('changing the baseline or removing a system keeps the order of the others', () => {
  const query = read('ids=a,b,c');
  expect(basedOn(query, 'c').ids).toEqual(['c', 'a', 'b']);
  expect(withoutSystem(query, 'b').ids).toEqual(['a', 'c']);
});

test("the picker keeps its search and selection; a comparison drops the picker's fields", () => {
  const form = 'ids=a&ids=b&q=llama&model=qwen&rag=&trust=verified';
  expect(compareHref(read(`${form}&choose=true`))).toBe(
    '/compare?ids=a,b&choose=true&q=llama&model=qwen&trust=verified',
  );
  expect(compareHref(read(`${form}&compare=selected`))).toBe('/compare?ids=a,b&trust=verified');
  expect(compareHref(read('q=llama&choose=true'))).toBe('/compare?q=llama');
});

test('the picker searches like the API; an id selects one system', () => {
  expect(pickerApiQuery(read('q=llama+h100&gpu=h100'))).toEqual({ q: ['llama h100'], gpu: ['h100'], limit: ['100'] });
  expect(pickerApiQuery(read('q=sys_3f1c'))).toEqual({ system: ['sys_3f1c'], limit: ['100'] });
});
