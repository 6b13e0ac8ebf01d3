import { expect, test } from 'vitest';
import { formatChange, toSessionLines } from './session-view.ts';

test.each([
  [1.0214, '+2.1 %'],
  [0.996, '−0.4 %'],
  [0.99999, '0.0 %'],
  [1, '0.0 %'],
])('a ratio of %d is a change of %s', (ratio, text) => expect(formatChange(ratio)).toBe(text));

test('each load and figure has a line, and a load with few blocks reports it', () => {
  const ratio = { figure: 'tpot_ms_mean' as const, ratio: 1.02, interval: { low: 1.01, high: 1.03 }, blocks: 16 };
  const lines = toSessionLines({
    ...{ id: 's', confidence: 0.99, servers: [], submissions: [] },
    loads: [
      { scenario: 'chatbot', load: { mode: 'concurrency', level: 8 }, ratios: [{ ...ratio, differs: true }] },
      { scenario: 'rag', load: { mode: 'rate', level: 2 }, ratios: [] },
    ],
  });
  expect(lines).toEqual([
    {
      ...{ load: 'chatbot, 8 concurrent', figure: 'TPOT, mean', change: '+2.0 %', interval: '+1.0 % to +3.0 %' },
      ...{ blocks: '16', verdict: 'B is higher' },
    },
    {
      ...{ load: expect.stringMatching(/^rag, 2/), figure: '', change: '', interval: '', blocks: '' },
      verdict: 'Both servers finished fewer than three blocks.',
    },
  ]);
});
