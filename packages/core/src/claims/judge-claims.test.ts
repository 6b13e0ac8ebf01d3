import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Trust, trustLevels } from '../subjects/result.ts';
import { type Claim, comparedMetrics, judgeClaims } from './judge-claims.ts';

interface Given {
  ownTrust?: Trust;
  runs?: number;
  first?: string;
  ttft?: number;
  ci95?: [number, number];
}

const claim = (account: string, mean: number, given: Given = {}): Claim => {
  const { ownTrust = 'self_reported', runs = 1, first = account, ttft, ci95 = null } = given;
  const figure = (metric: string, value: number) => ({ metric, definition: null, n: runs, mean: value, ci95 });
  const figures = [figure('output_tok_s', mean), ...(ttft === undefined ? [] : [figure('ttft_ms_mean', ttft)])];
  return { account, ownTrust, runs, first, figures };
};
const judge = (...claims: Claim[]) => judgeClaims(claims, true);
const standing = (...claims: Claim[]) => claims[judge(...claims).claims.findIndex(({ stands }) => stands)]?.account;

describe('the representative claim', () => {
  it.each<[string, Claim[], string]>([
    ['has the highest trust', [claim('a', 1, { runs: 9 }), claim('b', 2, { ownTrust: 'recomputed' })], 'b'],
    ['then the most runs', [claim('a', 1), claim('b', 2, { runs: 3 })], 'b'],
    ['then came first', [claim('a', 1, { first: 'res_2' }), claim('b', 2, { first: 'res_1' })], 'b'],
  ])('%s', (_, claims, expected) => expect(standing(...claims)).toBe(expected));

  it('is a replicated claim, before one without replication', () => {
    const claims = [claim('liar', 9000, { runs: 50 }), claim('a', 5000, { runs: 3 }), claim('b', 5050, { runs: 3 })];
    const { claims: judged } = judge(...claims);
    expect(judged.map(({ trust }) => trust)).toEqual(['self_reported', 'replicated', 'replicated']);
    expect(standing(...claims)).toBe('a');
    expect(judged.map(({ agreement, ratio }) => [agreement, ratio])).toEqual([
      ['disagreeing', 1.8],
      [null, null],
      ['agreeing', 1.01],
    ]);
  });
});

describe('a replication', () => {
  const trustOfFirst = (...claims: Claim[]) => judge(...claims).claims[0]?.trust;
  it.each<[string, Claim[], Trust]>([
    ['needs three runs or records', [claim('a', 100), claim('b', 101, { runs: 2 })], 'self_reported'],
    ['has three runs', [claim('a', 100), claim('b', 101, { runs: 3 })], 'replicated'],
    ['has records', [claim('a', 100), claim('b', 101, { ownTrust: 'recomputed' })], 'replicated'],
    ['requires figures within 5 %', [claim('a', 100), claim('b', 94.9, { runs: 3 })], 'self_reported'],
    [
      'requires agreement on every metric',
      [claim('a', 100, { ttft: 1 }), claim('b', 100, { runs: 3, ttft: 2 })],
      'self_reported',
    ],
    ['requires another account', [claim('a', 100), claim('a', 100, { ownTrust: 'recomputed' })], 'self_reported'],
    [
      'does not apply to a later single run',
      [claim('b', 104, { first: 'res_2' }), claim('a', 100, { runs: 3, first: 'res_1' })],
      'self_reported',
    ],
    [
      'does not apply to a single run after one of the agreeing claims',
      [
        claim('b', 104, { first: 'res_2' }),
        claim('a', 100, { runs: 3, first: 'res_1' }),
        claim('c', 108, { runs: 3, first: 'res_3' }),
      ],
      'self_reported',
    ],
    [
      'applies to a later claim with three runs',
      [claim('b', 104, { runs: 3 }), claim('a', 100, { runs: 3 })],
      'replicated',
    ],
    [
      'applies to a later claim with records',
      [claim('b', 104, { ownTrust: 'recomputed' }), claim('a', 100, { runs: 3 })],
      'replicated',
    ],
    ['keeps managed trust', [claim('a', 1, { ownTrust: 'managed' }), claim('b', 1, { runs: 3 })], 'managed'],
  ])('%s', (_, claims, expected) => expect(trustOfFirst(...claims)).toBe(expected));

  it('requires systems with full names', () => {
    const claims = [claim('a', 100, { runs: 3 }), claim('b', 100, { runs: 3 })];
    expect(judgeClaims(claims, false).claims.map(({ trust }) => trust)).toEqual(['self_reported', 'self_reported']);
  });
});

describe('a dispute', () => {
  it.each<[string, Claim[], boolean]>([
    ['needs a difference of more than 10 %', [claim('a', 100), claim('b', 111.2)], true],
    ['does not include a difference of 10 %', [claim('a', 100), claim('b', 111)], false],
    [
      'does not include overlapping intervals',
      [claim('a', 100, { ci95: [80, 120] }), claim('b', 140, { ci95: [115, 165] })],
      false,
    ],
    [
      'includes separate intervals',
      [claim('a', 100, { ci95: [90, 110] }), claim('b', 140, { ci95: [115, 165] })],
      true,
    ],
    ['requires different accounts', [claim('a', 100), claim('a', 200, { ownTrust: 'recomputed' })], false],
  ])('%s', (_, claims, expected) => expect(judge(...claims).disputed).toBe(expected));
});

it('lists the figures of a conflict', () => {
  expect(judge(claim('a', 100), claim('b', 200)).replication).toEqual({
    replicated: [],
    agreeing: 0,
    disagreeing: 1,
    conflicts: [
      {
        metric: 'output_tok_s',
        definition: null,
        apart: 0.5,
        low: { account: 'a', n: 1, mean: 100, ci95: null },
        high: { account: 'b', n: 1, mean: 200, ci95: null },
      },
    ],
  });
});

const anyClaim = fc.record({
  mean: fc.double({ min: 1, max: 2, noNaN: true }),
  ownTrust: fc.constantFrom(...trustLevels.filter((level) => level !== 'replicated')),
  runs: fc.integer({ min: 1, max: 5 }),
});
const anyClaims = fc
  .array(anyClaim, { minLength: 1, maxLength: 6 })
  .map((given) => given.map(({ mean, ...rest }, at) => claim(`acc_${at}`, mean, rest)));

it('selects one claim for the point, in any order of claims', () => {
  fc.assert(
    fc.property(anyClaims, fc.nat(), (claims, turn) => {
      const turned = [...claims.slice(turn % claims.length), ...claims.slice(0, turn % claims.length)];
      expect(judge(...claims).claims.filter(({ stands }) => stands)).toHaveLength(1);
      expect(standing(...turned)).toBe(standing(...claims));
    }),
  );
});

it('marks a claim as replicated only if a claim of another account agrees', () => {
  fc.assert(
    fc.property(anyClaims, (claims) => {
      for (const [at, { trust }] of judge(...claims).claims.entries()) {
        if (trust !== 'replicated') continue;
        const own = claims[at]?.figures[0]?.mean ?? 0;
        const others = claims.filter((_, other) => other !== at).map(({ figures }) => figures[0]?.mean ?? 0);
        expect(others.some((mean) => Math.abs(mean - own) / Math.max(mean, own) <= 0.05)).toBe(true);
      }
    }),
  );
});

const agreeingClaims = fc
  .array(
    fc.record({ ownTrust: fc.constantFrom<Trust>('self_reported', 'recomputed'), runs: fc.constantFrom(1, 2, 3) }),
    { minLength: 2, maxLength: 4 },
  )
  .map((given) => given.map((one, at) => claim(`acc_${at}`, 100 + at, one)));

it('ranks a claim without evidence above agreeing claims with evidence only if it came first', () => {
  fc.assert(
    fc.property(agreeingClaims, (claims) => {
      const isEvidence = ({ ownTrust, runs }: Claim) => ownTrust === 'recomputed' || runs >= 3;
      const stands = claims.find(({ account }) => account === standing(...claims));
      if (stands === undefined || isEvidence(stands)) return;
      for (const { first } of claims.filter(isEvidence)) expect(stands.first < first).toBe(true);
    }),
  );
});

it('compares means and rates, but no tails, counts or derived metrics', () => {
  for (const name of ['ttft_ms_mean', 'output_tok_s', 'forward_ms']) expect(comparedMetrics).toContain(name);
  for (const name of ['ttft_ms_p99', 'requests_ok', 'duration_s', 'mbu']) expect(comparedMetrics).not.toContain(name);
});
