import { describe, expect, test } from 'vitest';
import { canSay, describeFilters, describeMissing, partsOf, setsOf } from '../nearest.ts';
import { parseQuestion } from '../parse.ts';

const asked = parseQuestion('lowest p99 ttft for llama 3.3 70b on 2x h200 at 64 concurrent users');

describe('the parts of a question', () => {
  test('are its filters in the order of removal, and the metric if it is named', () => {
    expect(partsOf(asked.filters, true)).toEqual([
      ['load_mode', 'load_level'],
      ['gpu_count'],
      ['rank_by'],
      ['gpu', 'gpu_count'],
      ['model'],
    ]);
    expect(partsOf(asked.filters, false)).not.toContainEqual(['rank_by']);
  });

  test('include each bound separately', () => {
    const { filters } = parseQuestion('best model with itl below 20 ms and ttft below 1 s in agentic on h100');
    expect(partsOf(filters, false)).toEqual([['max_itl_ms_mean'], ['max_ttft_ms_mean'], ['scenario'], ['gpu']]);
  });

  test('are empty without filters', () => {
    expect(partsOf({}, false)).toEqual([]);
  });
});

test('lists each set of parts once', () => {
  const parts = [['a'], ['b'], ['c']];
  expect(setsOf(parts, 0)).toEqual([[]]);
  expect(setsOf(parts, 1)).toEqual([[['a']], [['b']], [['c']]]);
  expect(setsOf(parts, 2)).toEqual([
    [['a'], ['b']],
    [['a'], ['c']],
    [['b'], ['c']],
  ]);
  expect(setsOf(parts, 4)).toEqual([]);
});

test('describes missing parts in words, and other parameters by name', () => {
  expect(describeMissing({ model: ['llama-3.3-70b'], gpu: ['h200'] }, null)).toBe(
    'There is no ranked result for Llama 3.3 70B Instruct on H200.',
  );
  expect(describeMissing({ trust: ['managed'] }, 'tpot_ms_mean')).toBe('No ranked result with managed runs has TPOT.');
  expect(describeFilters({ gpu: ['h100'], include: ['retracted'] })).toBe('on H100 with include=retracted');
  expect([canSay({ gpu: ['h100'] }), canSay({ include: ['retracted'] })]).toEqual([true, false]);
});
