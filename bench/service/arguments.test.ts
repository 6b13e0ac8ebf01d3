import { describe, expect, it } from 'vitest';
import { readSize, readWish } from './arguments.ts';

describe('readSize', () => {
  it('reads thousands and millions', () => {
    expect(readSize('200k')).toBe(200_000);
    expect(readSize('2m')).toBe(2_000_000);
    expect(readSize('10M')).toBe(10_000_000);
  });

  it.each(['200', '2g', 'k', '-2m', '1.5m', '19k', '2200m', ''])('rejects %j', (text) => {
    expect(() => readSize(text)).toThrow('--results');
  });
});

describe('readWish', () => {
  it('measures all shows with 200,000 results by default', () => {
    expect(readWish([])).toMatchObject({ results: 200_000, dir: null, json: null, shows: [1, 2, 3, 4, 5] });
  });

  it('measures the selected shows', () => {
    expect(readWish(['--only', '1,3']).shows).toEqual([1, 3]);
    expect(() => readWish(['--only', '6'])).toThrow('--only 6');
    expect(() => readWish(['--seconds', '0'])).toThrow('--seconds 0');
    expect(() => readWish(['--processes', '1.5'])).toThrow('--processes 1.5');
  });
});
