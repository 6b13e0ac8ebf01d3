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
test('only what is not the default stays in the URL', () => {
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

test('the order that a metric has anyway is not written', () => {
  expect(boardHref(read('rank_by=ttft_ms_mean&order=asc'))).toBe('/?rank_by=ttft_ms_mean');
  expect(boardHref(read('rank_by=ttft_ms_mean&order=desc'))).toBe('/?rank_by=ttft_ms_mean&order=desc');
});

describe('the API is asked the same question', () => {
  test('with the metric left to it where the page names none', () => {
    expect(boardApiPath(read('scenario=tg128'))).toBe('/v1/leaderboard?scenario=tg128');
  });

  test('with repeated parameters and unknown ones passed on', () => {
    expect(boardApiQuery(read('gpu=a&gpu=b&colour=red&order=sideways'))).toEqual({
      gpu: ['a', 'b'],
      colour: ['red'],
      order: ['sideways'],
    });
  });
});

test('changing or removing a filter starts at the first page', () => {
  const query = read('gpu=a&gpu=b&cursor=xyz');
  expect(boardHref(query)).toBe('/?gpu=a&gpu=b&cursor=xyz');
  expect(boardHref(without(query, ['gpu', 'a']))).toBe('/?gpu=b');
  expect(boardHref(changed(query, { rankBy: 'itl_ms_mean' }))).toBe('/?rank_by=itl_ms_mean&gpu=a&gpu=b');
});
