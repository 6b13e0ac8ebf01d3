import { describe, expect, test } from 'vitest';
import {
  boardApiPath,
  boardApiQuery,
  boardHref,
  changed,
  meaningfulParameters,
  readBoardQuery,
  without,
} from './board-query.ts';

const read = (search: string) => readBoardQuery(new URLSearchParams(search));

// A shared link contains only the differences from the default view.
test('only values that are not the default are in the URL', () => {
  const search = new URLSearchParams('rank_by=decode_tok_s&order=desc&scenario=&model=a&limit=50&max_ttft_ms=');
  expect(meaningfulParameters(search)).toEqual([
    ['rank_by', 'decode_tok_s'],
    ['model', 'a'],
  ]);
  expect(boardHref(read('subject=system&order=&scenario=tg128'))).toBe('/?scenario=tg128');
  // Without a metric, the default order is not known yet.
  expect(boardHref(read('order=desc'))).toBe('/?order=desc');
  expect(boardHref(read(''))).toBe('/');
});

test('the default order of a metric is not in the URL', () => {
  expect(boardHref(read('rank_by=ttft_ms_mean&order=asc'))).toBe('/?rank_by=ttft_ms_mean');
  expect(boardHref(read('rank_by=ttft_ms_mean&order=desc'))).toBe('/?rank_by=ttft_ms_mean&order=desc');
});

describe('the query to the API', () => {
  test('has no metric if the page names none', () => {
    expect(boardApiPath(read('scenario=tg128'))).toBe('/v1/leaderboard?scenario=tg128');
  });

  test('passes on repeated and unknown parameters', () => {
    expect(boardApiQuery(read('gpu=a&gpu=b&colour=red&order=sideways'))).toEqual({
      gpu: ['a', 'b'],
      colour: ['red'],
      order: ['sideways'],
    });
  });
});

test('changing or removing a filter returns to the first page', () => {
  const query = read('gpu=a&gpu=b&cursor=xyz');
  expect(boardHref(query)).toBe('/?gpu=a&gpu=b&cursor=xyz');
  expect(boardHref(without(query, ['gpu', 'a']))).toBe('/?gpu=b');
  expect(boardHref(changed(query, { rankBy: 'itl_ms_mean' }))).toBe('/?rank_by=itl_ms_mean&gpu=a&gpu=b');
});
