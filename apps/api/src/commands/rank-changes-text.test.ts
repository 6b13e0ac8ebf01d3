import type { RankChange, RankedFacts } from '@inferboard/db/re-derive/rank-changes';
import { expect, test } from 'vitest';
import { rankChangesText } from './rank-changes-text.ts';

const facts: RankedFacts = {
  system: 'A',
  workload: 'chatbot-steady',
  load: { key: '["rate",4,null,null]', mode: 'rate', level: 4 },
  status: 'accepted',
  trust: 'self_reported',
  copy_of: null,
  value: 120,
  definition: null,
  repeats: null,
};
const change: RankChange = {
  place: 1,
  workload: 'chatbot-steady',
  metric: 'output_tok_s',
  definition: '',
  system: 'A',
  rank_before: 3,
  rank_after: 5,
  value_before: 120,
  value_after: 120,
  is_own: true,
  results: [],
  results_count: 0,
};

/** The reason given for a rank change with one changed result. */
function reasonFor(before: Partial<RankedFacts> | null, after: Partial<RankedFacts> = {}): string | undefined {
  const move = { id: 'res_1', before: before && { ...facts, ...before }, after: { ...facts, ...after } };
  const text = rankChangesText([{ ...change, results: [move], results_count: 1 }]);
  return text.split('\n')[1]?.split('res_1: ')[1];
}

test.each<[Partial<RankedFacts> | null, Partial<RankedFacts>, string]>([
  [{}, { copy_of: 'res_2' }, 'is now a copy of res_2'],
  [{ copy_of: 'res_2' }, {}, 'is no longer a copy of res_2'],
  [{}, { status: 'not_repetitions' }, 'status accepted → not_repetitions'],
  [{ trust: 'replicated' }, {}, 'trust replicated → self_reported'],
  [{}, { value: 118.25 }, 'output_tok_s 120 → 118.25'],
  [{}, { value: null }, 'output_tok_s 120 → -'],
  [{ system: 'B' }, {}, 'system B → A'],
  [{ definition: 'steady' }, { definition: 'wall' }, 'formula of output_tok_s steady → wall'],
  [{ repeats: { n: 3 } }, {}, 'repetitions are read differently'],
  [{}, { load: { key: '["rate",8,null,null]', mode: 'rate', level: 8 } }, 'load 4 req/s → 8 req/s'],
  [{}, { load: { ...facts.load, key: '["rate",4,0.5,null]' } }, 'load 4 req/s, with other details'],
  [null, {}, 'was submitted meanwhile'],
  [
    { trust: 'replicated' },
    { status: 'quarantined' },
    'status accepted → quarantined, trust replicated → self_reported',
  ],
])('prints a change from %o to %o', (before, after, reason) => {
  expect(reasonFor(before, after)).toBe(reason);
});

test('prints ranks, values and omitted changes', () => {
  const rows = rankChangesText([
    change,
    {
      ...change,
      metric: 'itl_ms_mean',
      definition: 'smoothness',
      rank_before: null,
      value_before: null,
      is_own: false,
    },
    { ...change, rank_after: null, value_after: null, value_before: 1234.5678, results_count: 4 },
  ]).split('\n');
  expect(rows.map((row) => row.split(/ {2,}/).slice(1))).toEqual([
    ['metric', 'system', 'rank', 'value', 'why'],
    ['output_tok_s', 'A', '3 → 5', '120 → 120', 'statistics of the point were recomputed'],
    ['itl_ms_mean (smoothness)', 'A', 'enters at 5', '- → 120', 'figures of other systems changed'],
    ['output_tok_s', 'A', 'leaves, was 3', '1234.57 → -', '4 more results changed'],
  ]);
});
