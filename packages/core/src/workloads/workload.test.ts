import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadKey, offlineLoad, unspecifiedLoad } from '../subjects/load.ts';
import { datasetSlug, readShapeName, roundLength, shapeName } from './shape-name.ts';
import { shapeTitle } from './shape-title.ts';
import { workloadOf } from './workload.ts';

const scenario = (id: string, inputTokens: number | null = null, outputTokens: number | null = null) => ({
  id,
  inputTokens,
  outputTokens,
  dataset: null,
  depth: null,
});
const steady = { mode: 'concurrency' } as const;

test.each([
  ['chatbot', 1000, 250, 1024, 256],
  ['chatbot', null, null, 1024, 256],
  ['200-60', 198, 60, 200, 60],
  ['200-60', null, null, 200, 60],
  ['in-500', 500, null, 500, null],
  ['pp512', 512, 0, 512, 0],
  ['pp512+tg128@d4096', 512, 128, 512, 128],
  ['sonnet-550-150', 551, 148, 550, 150],
  ['sharegpt', null, 128, null, null],
  ['unspecified', null, null, null, null],
])(
  'the workload of %s, requested %s to %s, has the lengths %s and %s',
  (id, input, output, inputTokens, outputTokens) => {
    expect(workloadOf({ kind: 'serving', scenario: scenario(id, input, output), load: steady })).toEqual({
      id: `${id}-steady`,
      regime: 'steady',
      inputTokens,
      outputTokens,
      dataset: null,
      depth: null,
    });
  },
);

test('a kernel has no regime, and its scenario is the workload', () => {
  const workload = workloadOf({ kind: 'kernel', scenario: scenario('causal-mask'), load: { mode: 'batch' } });
  expect(workload).toMatchObject({ id: 'causal-mask', regime: null });
});

test('an offline run is offline for any load', () => {
  const idOf = (load: Parameters<typeof workloadOf>[0]['load']) =>
    workloadOf({ kind: 'serving', scenario: scenario('chatbot'), load }).id;
  expect(idOf(unspecifiedLoad)).toBe('chatbot-unspecified');
  expect(idOf(offlineLoad)).toBe('chatbot-offline');
  expect(idOf({ mode: 'burst', regime: 'offline' })).toBe('chatbot-offline');
  expect(loadKey(offlineLoad)).not.toBe(loadKey(unspecifiedLoad));
  expect(loadKey({ mode: 'burst', level: 8, regime: null })).toBe(loadKey({ mode: 'burst', level: 8 }));
});

test('a name of lengths is parsed, and formatting it again gives the same name', () => {
  const tokens = fc.option(fc.double({ min: 0.1, max: 9e8, noNaN: true }));
  const depth = fc.option(fc.integer({ min: 1, max: 1e9 - 1 }));
  fc.assert(
    fc.property(tokens, tokens, depth, (inputTokens, outputTokens, before) => {
      const name = shapeName({ inputTokens, outputTokens }, { dataset: null, depth: before });
      const read = readShapeName(name);
      if (inputTokens === null && outputTokens === null) expect(read).toBeNull();
      else {
        expect(read).toEqual({
          inputTokens: inputTokens && roundLength(inputTokens),
          outputTokens: outputTokens && roundLength(outputTokens),
          depth: before,
        });
        expect(shapeName(read ?? { inputTokens, outputTokens }, { dataset: null, depth: before })).toBe(name);
      }
    }),
  );
});

test.each([
  [198.3, 200],
  [59.7, 60],
  [1536, 1500],
  [256, 260],
  [0.2, 1],
  [9.6, 10],
  [99.7, 100],
  [131_072, 130_000],
])('%s tokens are rounded to %s', (tokens, rounded) => {
  expect(roundLength(tokens)).toBe(rounded);
});

test.each([
  ['sonnet', 'sonnet'],
  ['AI-MO/aimo-validation-aime', 'ai-mo-aimo-validation-aime'],
  ['My Prompts.jsonl', 'my-prompts'],
  ['Custom', null],
  ['???', null],
])('the data set %s is shortened to %s', (dataset, slug) => {
  expect(datasetSlug(dataset)).toBe(slug);
});

test.each([
  ['chatbot', 'Chatbot'],
  ['1500-260', '1,500 → 260 tokens'],
  ['1500-260@d4096', '1,500 → 260 tokens after 4,096'],
  ['in-500', '500 tokens in'],
  ['out-130', '130 tokens out'],
  ['pp512@d4096', 'pp512 after 4,096 tokens'],
  ['unspecified', 'Workload not stated'],
  ['sonnet-550-150', 'sonnet-550-150'],
])('the title of %s is "%s"', (id, title) => {
  expect(shapeTitle(id)).toBe(title);
});
