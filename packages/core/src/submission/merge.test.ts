import { describe, expect, test } from 'vitest';
import type { Fact } from '../adapters/adapter.ts';
import { mergeFact } from './merge.ts';

type Origin = Fact<string>['origin'];
const fact = (value: string, origin: Origin): Fact<string> => ({ value, origin });
const hinted = (value: string) => ({
  code: 'gpu_inferred',
  severity: 'info',
  message: `The gpu was inferred from the artifact: "${value}". If it is different, state it.`,
  evidence: { gpu: value },
});

describe('without a value in the artifact', () => {
  test.each([
    [undefined, null],
    ['H100', 'H100'],
    ['unspecified', 'unspecified'],
  ])('given %j: %j', (given, value) => {
    expect(mergeFact('gpu', given, null)).toEqual({ value });
  });
});

describe('with a withheld value in the artifact', () => {
  test.each<[string | undefined, string, string]>([
    [undefined, 'unspecified', 'unspecified'],
    [undefined, ' UNSPECIFIED ', 'unspecified'],
    ['H100', 'unspecified', 'H100'],
    ['unspecified', 'unspecified', 'unspecified'],
  ])('given %j and found %j: %j, without error or finding', (given, found, value) => {
    expect(mergeFact('gpu', given, fact(found, 'stated'))).toEqual({ value });
  });
});

describe.each<Origin>(['stated', 'context'])('with H100 in the artifact (%s)', (origin) => {
  test.each([undefined, 'H100'])('given %j: uses the artifact without a finding', (given) => {
    expect(mergeFact('gpu', given, fact('H100', origin))).toEqual({ value: 'H100' });
  });

  test.each(['unspecified', 'Unspecified'])('given %j: uses the artifact, with a finding', (given) => {
    expect(mergeFact('gpu', given, fact('H100', origin))).toEqual({
      value: 'H100',
      finding: {
        code: 'gpu_not_replaced',
        severity: 'info',
        message: 'The gpu is the one that the artifact states: gpu=unspecified does not replace it.',
        evidence: { given: 'unspecified' },
      },
    });
  });

  test('given another value: an error with both values', () => {
    expect(mergeFact('gpu', 'L4', fact('H100', origin))).toEqual({
      value: 'L4',
      fault: {
        code: 'facts_contradict',
        parameter: 'gpu',
        message: 'gpu=L4 was given, but the artifact has "H100".',
        hint: 'Omit gpu to use the value in the artifact, or submit the artifact that belongs to "L4".',
      },
    });
  });
});

describe('with H100 inferred from a name in the artifact', () => {
  test.each([undefined, 'unspecified', ' Unspecified'])('given %j: uses the hint, with a finding', (given) => {
    expect(mergeFact('gpu', given, fact('H100', 'inferred'))).toEqual({ value: 'H100', finding: hinted('H100') });
  });

  test('given the same value: uses it without a finding', () => {
    expect(mergeFact('gpu', 'H100', fact('H100', 'inferred'))).toEqual({ value: 'H100' });
  });

  test('given another value: uses it, with a finding about the hint', () => {
    expect(mergeFact('gpu', 'L4', fact('H100', 'inferred'))).toEqual({
      value: 'L4',
      finding: {
        code: 'gpu_hint_differs',
        severity: 'info',
        message: 'The gpu is "L4" as stated, but a name in the artifact suggests "H100".',
        evidence: { given: 'L4', found: 'H100' },
      },
    });
  });
});

describe('numbers', () => {
  test('match by value', () => {
    expect(mergeFact('input_tokens', 1024, { value: 1024, origin: 'stated' })).toEqual({ value: 1024 });
  });

  test('include 0 as a value', () => {
    expect(mergeFact('input_tokens', undefined, { value: 0, origin: 'stated' })).toEqual({ value: 0 });
    expect(mergeFact('input_tokens', 0, null)).toEqual({ value: 0 });
    expect(mergeFact('input_tokens', 0, { value: 512, origin: 'stated' }).fault?.code).toBe('facts_contradict');
  });
});

test('keeps the more specific of two spellings that a rule accepts', () => {
  const longer = (a: string, b: string) => (a.startsWith(b) ? a : b.startsWith(a) ? b : null);
  expect(mergeFact('gpu', 'H100', fact('H100 SXM', 'stated'), longer)).toEqual({ value: 'H100 SXM' });
  expect(mergeFact('gpu', 'H100 SXM', fact('H100', 'inferred'), longer)).toEqual({ value: 'H100 SXM' });
});
