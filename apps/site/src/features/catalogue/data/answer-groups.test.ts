import { expect, test } from 'vitest';
import { type Answer, groupByLoad, presetsFor, scenarioOrder, titleBy } from './catalogue-answers.ts';

const answer = (id: string, best: { load: string; level: number; value?: string } | null) =>
  ({
    preset: { id },
    best: best && { ...best, id: 'system', figure: { value: best.value ?? id } },
  }) as unknown as Answer; // only what the groups depend on

const groupsOf = (answers: Answer[]) =>
  groupByLoad(answers).map(({ load, rows }) => [load, rows.map((same) => same.map(({ preset }) => preset.id))]);

test('groups the answers by load, the lowest first, and those without an answer last', () => {
  expect(
    groupsOf([
      answer('none', null),
      answer('most', { load: '128 concurrent', level: 128 }),
      answer('fastest', { load: 'single request', level: 1 }),
      answer('fluid', { load: '128 concurrent', level: 128 }),
      answer('nothing', null),
    ]),
  ).toEqual([
    ['single request', [['fastest']]],
    ['128 concurrent', [['most'], ['fluid']]],
    [null, [['none'], ['nothing']]],
  ]);
});

test('one row has the questions that the same value answers', () => {
  const at = { load: 'single request', level: 1, value: '127.74' };
  expect(groupsOf([answer('fastest', at), answer('frugal', { ...at, value: '0.28' }), answer('most', at)])).toEqual([
    ['single request', [['fastest', 'most'], ['frugal']]],
  ]);
});

test('scenarios without output tokens are last, so that a page opens with tokens that a user gets', () => {
  const counts = new Map([
    ['pp1024', { systems: 36, hasOutput: false }],
    ['tg1024', { systems: 36, hasOutput: true }],
    ['chatbot', { systems: 40, hasOutput: true }],
  ]);
  expect(scenarioOrder(counts)).toEqual(['chatbot', 'tg1024', 'pp1024']);
});

test('a question answered by the speed of reading prompts says so', () => {
  const [fastest, most] = presetsFor(null);
  for (const preset of [fastest, most])
    expect(preset && titleBy(preset, 'prefill_tok_s')).toBe('Fastest prompt processing');
  expect(fastest && titleBy(fastest, 'user_tok_s')).toBe('Fastest for one user');
});
