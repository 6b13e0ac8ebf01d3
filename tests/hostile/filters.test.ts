import { describe, expect, it } from 'vitest';
import { expectRule, problemOf } from '../support/hostile.ts';
import { useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { look, pathOf } = useHostileApp();
const reads = ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/systems/{id}'];
describe('filters', () => {
  const textFilters = ['model', 'model_family', 'quantization', 'gpu', 'engine', 'engine_version', 'scenario'];
  const names = [...textFilters, 'account', 'tool'];
  const hostileTexts: [string, string, number[]][] = [
    ['an empty value', '', [422]],
    ['U+0000', '%00', [422]],
    ['U+0000 inside', 'a%00b', [422]],
    ['a broken escape', '%ff', [200, 422]],
    ['an encoded surrogate', '%ED%A0%80', [200, 422]],
    ['SQL in quotes', "'%20or%201%3D1--", [200, 422]],
    ['SQL after a semicolon', '%27%3B%20drop%20table%20results%3B--', [200, 422]],
    ['a backslash', '%5C', [200, 422]],
    ['JSON', '%7B%22a%22%3A1%7D', [200, 422]],
    ['201 characters', 'x'.repeat(201), [422]],
    ['9 000 characters', 'y'.repeat(9000), [422]],
    ['__proto__', '__proto__', [200, 422]],
    ['letters that grow when normalised', encodeURIComponent('ﷺ'.repeat(100)), [200, 422]],
  ];
  describe.each(names)('%s', (name) => {
    it.each(hostileTexts)('accepts or rejects %s', async (_, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses, `${read}: ${seen.text.slice(0, 200)}`).toContain(seen.status);
        if (seen.status === 422) expect(problemOf(seen).errors?.[0]?.parameter).toBe(name);
      }
    });
  });

  const numbers: [string, number[]][] = [
    ['1e400', [422]],
    ['-0', [200, 422]],
    ['NaN', [422]],
    ['Infinity', [422]],
    ['1e99', [200, 422]],
    ['9'.repeat(40), [422]],
    ['2147483648', [200, 422]],
    ['0x10', [422]],
    ['1,5', [422]],
    ['%D9%A1', [422]],
    ['1%00', [422]],
  ];
  const numeric = ['gpu_count', 'gpu_power_limit_w', 'load_level', 'min_load_level', 'min_ttft_ms', 'max_itl_ms_p99'];
  it.each(numeric.flatMap((name) => numbers.map(([value, statuses]) => [name, value, statuses] as const)))(
    '%s=%s has an expected status',
    async (name, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses).toContain(seen.status);
      }
    },
  );

  const times: [string, number[]][] = [
    ['0000-01-01T00:00:00Z', [200, 422]],
    ['0001-01-01T00:00:00Z', [200, 422]],
    ['9999999-01-01', [422]],
    ['9999-12-31T23:59:59-23:59', [200, 422]],
    ['0000-01-01T00:00:00%2B23:59', [200, 422]],
    ['2026-01-01T00:00:00%2B23:59', [200, 422]],
    [`2026-01-01T00:00:00.${'1'.repeat(150)}Z`, [200, 422]],
    ['2026-02-30T00:00:00Z', [422]],
    ['2026-01-01T24:00:00Z', [422]],
    ['2026-01-01', [422]],
    ['now', [422]],
  ];
  it.each(['since', 'until'].flatMap((name) => times.map(([value, statuses]) => [name, value, statuses] as const)))(
    '%s=%s has an expected status on every list',
    async (name, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses, seen.text.slice(0, 200)).toContain(seen.status);
      }
    },
  );

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__[x]', 'a.b', 'gpu[]', 'Limit', 'q%00'])(
    'rejects the parameter %s by name',
    async (name) => {
      for (const read of [...reads, '/v1/submissions']) {
        const seen = await look(`${pathOf(read)}?${name}=1`);
        expectRule(seen);
        expect(seen.status).toBe(422);
        expect(problemOf(seen).errors?.[0]).toMatchObject({ code: 'parameter_unknown' });
      }
    },
  );

  it.each(['limit', 'cursor', 'since', 'min_ttft_ms', 'min_load_level'])(
    'reports that %s can be given only once',
    async (name) => {
      const seen = await look(`/v1/results?${name}=5&${name}=6`);
      expectRule(seen);
      expect(seen.status).toBe(422);
      expect(problemOf(seen).errors).toEqual([expect.objectContaining({ parameter: name })]);
    },
  );

  it('rejects more than 50 values', async () => {
    const seen = await look(`/v1/leaderboard?${'model=x&'.repeat(60)}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
  });

  it('lists all errors at once', async () => {
    const seen = await look('/v1/leaderboard?rank_by=xx&gpu=nosuchgpu&cursor=zz&limit=0&bogus=1');
    expectRule(seen);
    const named = problemOf(seen).errors?.map((item) => item.parameter);
    expect(named?.toSorted()).toEqual(['bogus', 'cursor', 'gpu', 'limit', 'rank_by']);
  });

  it.each([
    ['/v1/leaderboard', 'account', 'nobody-at-all'],
    ['/v1/leaderboard', 'tool', 'no-such-tool'],
    ['/v1/leaderboard', 'model_family', 'llamma'],
    ['/v1/leaderboard', 'engine_version', 'no-such-version'],
    ['/v1/results', 'system', 'sys_nothing'],
    ['/v1/submissions', 'account', 'nobody-at-all'],
    ['/v1/systems/{id}', 'gpu', 'nosuchgpu'],
    ['/v1/systems/{id}', 'model', 'nosuchmodel'],
    ['/v1/systems/{id}', 'scenario', 'nosuchscenario'],
  ])('%s: an unknown %s returns an error instead of an empty list', async (read, name, value) => {
    const seen = await look(`${pathOf(read)}?${name}=${value}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
    expect(problemOf(seen).errors?.[0]).toMatchObject({ code: 'value_unknown', parameter: name });
  });

  it.each([
    ['scenario', 'Decode-Bound'],
    ['scenario', 'decode_bound'],
    ['scenario', 'pp4096'],
    ['account', 'ADMIN'],
    ['tool', 'native'],
  ])('%s=%s is resolved as in a submission', async (name, value) => {
    const seen = await look(`/v1/results?${name}=${value}`);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(200);
  });

  it('keeps the count in a GPU value', async () => {
    const seen = await look('/v1/results?gpu=8xH100');
    expectRule(seen);
    // One H100 was submitted: the count either filters or is rejected.
    if (seen.status === 200) expect(JSON.parse(seen.text).data).toEqual([]);
  });
});
