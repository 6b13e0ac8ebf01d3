import { describe, expect, test } from 'vitest';
import { slowdownOf } from './saturation.ts';
import type { Observation } from './search.ts';

const point = (level: number, completed_req_s: number | null, isSaturated = false): Observation => ({
  ...{ level, completed_req_s, isSaturated },
  ...{ ratio: 1, bound: 'e2e_p50<2000', isFine: true },
});

describe('a server that becomes slower during a search', () => {
  // llama.cpp's server, whose memory of prompts grew: two of the points are far from the capacity.
  const users = [
    point(4, 52),
    point(256, 30),
    point(90, 46),
    point(82, 44),
    point(79, 38),
    point(80, 33),
    point(77, 32),
  ];

  test('is found at loads near the capacity', () => {
    // The first half of the five points near 80 users completed 46 and 44 req/s, the last half 33 and 32.
    expect(slowdownOf(users, { mode: 'concurrency', at: 80, saturatedFrom: 4 })).toEqual({ first: 45, last: 32.5 });
  });

  test.each<[string, Parameters<typeof slowdownOf>]>([
    ['its throughput still grows with the users', [users, { mode: 'concurrency', at: 80, saturatedFrom: null }]],
    ['only loads far from the capacity differ', [users.slice(0, 4), { mode: 'concurrency', at: 80, saturatedFrom: 4 }]],
    [
      'the rates differ by less than a tenth',
      [[46, 45, 43, 42].map((rate) => point(80, rate)), { mode: 'concurrency', at: 80, saturatedFrom: 4 }],
    ],
    [
      'it became faster',
      [[30, 31, 45, 46].map((rate) => point(80, rate)), { mode: 'concurrency', at: 80, saturatedFrom: 4 }],
    ],
    // An open loop below the capacity completes what it is sent.
    [
      'its rates were sustained',
      [[50, 49, 41, 40].map((rate) => point(rate, rate)), { mode: 'rate', at: 45, saturatedFrom: 48 }],
    ],
  ])('is not reported if %s', (_, [history, options]) => {
    expect(slowdownOf(history, options)).toBeNull();
  });

  test('is found in the saturated points of a rate', () => {
    const rates = [
      [52, 50],
      [40, 40],
      [51, 48],
      [46, 40],
      [47, 39],
    ] as const;
    const history = rates.map(([level, completed]) => point(level, completed, completed < level));
    expect(slowdownOf(history, { mode: 'rate', at: 45, saturatedFrom: 46 })).toEqual({ first: 49, last: 39.5 });
  });
});
