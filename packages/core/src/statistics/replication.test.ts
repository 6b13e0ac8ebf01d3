import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountFigure, agrees, comparedMetrics, judgeReplication } from './replication.ts';

const figure = (account: string, mean: number, ci95: [number, number] | null = null, n = 1): AccountFigure => ({
  account,
  n,
  mean,
  ci95,
});
const compared = (metric: string, ...figures: AccountFigure[]) => ({ metric, definition: null, figures });

describe('two figures', () => {
  it.each([
    [100, 95, true],
    [100, 94.9, false],
    [0, 0, true],
    [0, 1, false],
  ])('%d and %d agree: %s', (a, b, expected) => {
    expect(agrees(figure('a', a), figure('b', b))).toBe(expected);
  });

  it('agree however far apart they are if their intervals overlap', () => {
    expect(agrees(figure('a', 100, [80, 120], 3), figure('b', 140, [115, 165], 3))).toBe(true);
    expect(agrees(figure('a', 100, [90, 110], 3), figure('b', 140, [115, 165], 3))).toBe(false);
    expect(agrees(figure('a', 100, [80, 120], 3), figure('b', 119))).toBe(false);
  });
});

describe('accounts', () => {
  it('replicate each other where they agree on all that both have', () => {
    expect(
      judgeReplication([
        compared('output_tok_s', figure('b', 1000), figure('a', 1040)),
        compared('ttft_ms_mean', figure('a', 200)),
      ]),
    ).toEqual({ replicated: ['a', 'b'], conflicts: [] });
  });

  it('do not where one metric fits and another does not, and that is told', () => {
    expect(
      judgeReplication([
        compared('output_tok_s', figure('a', 1000), figure('b', 1000)),
        compared('ttft_ms_mean', figure('a', 200), figure('b', 250)),
      ]),
    ).toEqual({
      replicated: [],
      conflicts: [
        { metric: 'ttft_ms_mean', definition: null, apart: 0.2, low: figure('a', 200), high: figure('b', 250) },
      ],
    });
  });

  it('do not where they have nothing in common', () => {
    expect(
      judgeReplication([compared('output_tok_s', figure('a', 1)), compared('ttft_ms_mean', figure('b', 1))]),
    ).toEqual({ replicated: [], conflicts: [] });
  });

  it('of which two agree leave out the third that contradicts them', () => {
    const { replicated, conflicts } = judgeReplication([
      compared('output_tok_s', figure('a', 1000), figure('b', 1010), figure('c', 2000)),
    ]);
    expect(replicated).toEqual(['a', 'b']);
    expect(conflicts.map(({ low, high }) => [low.account, high.account])).toEqual([['a', 'c']]);
  });

  it('are judged alike in whatever order they come', () => {
    const figures = fc.uniqueArray(
      fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), mean: fc.double({ min: 1, max: 2, noNaN: true }) }),
      { selector: ({ account }) => account, minLength: 1 },
    );
    fc.assert(
      fc.property(figures, (given) => {
        const all = given.map(({ account, mean }) => figure(account, mean));
        expect(judgeReplication([compared('req_s', ...all)]).replicated).toEqual(
          judgeReplication([compared('req_s', ...all.toReversed())]).replicated,
        );
        expect(judgeReplication([compared('req_s', ...all)]).replicated).not.toHaveLength(1);
      }),
    );
  });
});

it('means and rates are compared, neither tails nor counts nor what we derived', () => {
  for (const name of ['ttft_ms_mean', 'output_tok_s', 'forward_ms']) expect(comparedMetrics).toContain(name);
  for (const name of ['ttft_ms_p99', 'requests_ok', 'duration_s', 'mbu']) expect(comparedMetrics).not.toContain(name);
});
