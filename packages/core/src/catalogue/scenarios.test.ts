import { describe, expect, test } from 'vitest';
import type { Load } from '../subjects/load.ts';
import { resolveScenario, type ScenarioFacts } from './scenarios.ts';

const nothing: ScenarioFacts = { name: null, inputTokens: null, outputTokens: null, dataset: null, depth: null };
const batch = (level: number): Load => ({ mode: 'batch', level });
const lengths = (inputTokens: number, outputTokens: number): Partial<ScenarioFacts> => ({ inputTokens, outputTokens });
const resolve = (facts: Partial<ScenarioFacts>, load: Load | null = null) =>
  resolveScenario({ ...nothing, ...facts }, load);

test.each([
  ['chatbot', 'chatbot'],
  ['RAG / QA', 'rag'],
  ['Agentic', 'agentic'],
  ['Tool Calling Agentic', 'tool-calling'],
  ['decode_bound', 'decode-bound'],
  ['HIGH-CONCURRENCY', 'high-concurrency'],
  ['Random (1500 \\Rightarrow 250)', 'random-1500-250'],
  ['Random (1000 ⇒ 1000)', 'random-1000-1000'],
  ['ShareGPT', 'sharegpt'],
  ['Edit 10K Characters', 'edit-10k'],
  ['Numina Math', 'numina-math'],
  ['pp512', 'pp512'],
  ['tg128', 'tg128'],
  ['pp512 @ d4096', 'pp512@d4096'],
  ['pp512+tg128', 'pp512+tg128'],
])('resolves the name %s to %s', (name, id) => {
  const { scenario, fault } = resolve({ name });
  expect(scenario.id).toBe(id);
  expect(fault).toBeNull();
});

test('adds the numbers of a named scenario', () => {
  expect(resolve({ name: 'chatbot' }).scenario).toEqual({
    ...{ id: 'chatbot', inputTokens: 1024, outputTokens: 256, dataset: null, depth: null, kernel: null },
  });
  expect(resolve({ name: 'pp512+tg128', depth: 64 }).scenario).toMatchObject({
    ...{ id: 'pp512+tg128@d64', inputTokens: 512, outputTokens: 128, depth: 64 },
  });
});

test.each<[string, Partial<ScenarioFacts>, Load | null, string]>([
  ['1024 to 256', lengths(1024, 256), null, 'chatbot'],
  ['1024 to 256 at random', { ...lengths(1024, 256), dataset: 'random' }, null, 'chatbot'],
  ['1024 to 256 of other data', { ...lengths(1024, 256), dataset: 'sonnet' }, null, 'sonnet-1000-260'],
  ['1500 to 250 at random', { ...lengths(1500, 250), dataset: 'random' }, null, 'random-1500-250'],
  ['1500 to 250 of unknown data', lengths(1500, 250), null, '1500-250'],
  ['ShareGPT by file', { dataset: 'ShareGPT_V3_unfiltered_cleaned_split.json' }, null, 'sharegpt'],
  ['edit 10k by repository', { dataset: 'vdaita/edit_10k_char' }, null, 'edit-10k'],
  ['Numina by repository', { dataset: 'AI-MO/NuminaMath-CoT' }, null, 'numina-math'],
  ['128 to 64, batch 1', lengths(128, 64), batch(1), 'interactive'],
  ['128 to 64, batch 2', lengths(128, 64), batch(2), '130-64'],
  ['128 to 64, served', lengths(128, 64), { mode: 'concurrency', level: 1 }, '130-64'],
  ['128 to 64, load unknown', lengths(128, 64), null, '130-64'],
  ['256 to 128, batch 8', lengths(256, 128), batch(8), 'medium-batch'],
  ['256 to 128, batch 64', lengths(256, 128), batch(64), 'high-concurrency'],
  ['256 to 32, batch 32', lengths(256, 32), batch(32), 'base'],
  ['512 to 0', lengths(512, 0), null, 'pp512'],
  ['0 to 128', lengths(0, 128), null, 'tg128'],
  ['512 to 0 at depth 4096', { ...lengths(512, 0), depth: 4096 }, null, 'pp512@d4096'],
  ['0 to 128 at depth 0', { ...lengths(0, 128), depth: 0 }, null, 'tg128'],
  ['chatbot lengths at a depth', { ...lengths(1024, 256), depth: 512 }, null, '1000-260@d512'],
  ['nothing to nothing', lengths(0, 0), null, 'unspecified'],
  ['no facts', {}, null, 'unspecified'],
  ['a custom name with numbers', { ...lengths(5, 6), name: 'chatbto' }, null, '5-6'],
  ['a custom name with a data set', { dataset: 'sonnet', name: 'my mix' }, null, 'sonnet'],
  // The numbers define the requested work.
  ['a misspelt name with the numbers of another scenario', { ...lengths(4096, 256), name: 'chatbt' }, null, 'rag'],
  ['a misspelt name with its own numbers', { ...lengths(1024, 256), name: 'chatbt' }, null, 'chatbot'],
])('%s', (_title, facts, load, id) => {
  const { scenario, fault } = resolve(facts, load);
  expect(scenario.id).toBe(id);
  expect(fault).toBeNull();
});

// Storing one of two contradicting facts silently would put wrong data on the boards.
test.each<[string, Partial<ScenarioFacts>, Load | null, string]>([
  ['other lengths', { name: 'chatbot', ...lengths(1024, 128) }, null, 'output_tokens'],
  ['other data', { name: 'chatbot', dataset: 'sharegpt' }, null, 'dataset'],
  ['synthetic data', { name: 'sharegpt', dataset: 'random' }, null, 'dataset'],
  ['a depth', { name: 'rag', depth: 100 }, null, 'depth'],
  ['another depth', { name: 'pp512@d4096', depth: 100 }, null, 'depth'],
  ['another load', { name: 'base' }, { mode: 'concurrency', level: 32 }, 'load'],
])('rejects a named scenario contradicted by %s', (_title, facts, load, parameter) => {
  const { scenario, fault } = resolve(facts, load);
  expect(fault).toMatchObject({ code: 'scenario_contradicted', parameter });
  expect(scenario.id).not.toBe('custom');
});

test('returns an unknown name if numbers or data determine the workload', () => {
  expect(resolve({ ...lengths(4096, 256), name: 'chatbt' })).toMatchObject({
    scenario: { id: 'rag', inputTokens: 4096, outputTokens: 256 },
    unknownName: 'chatbt',
  });
  expect(resolve({ dataset: 'sharegpt', name: 'zzz' })).toMatchObject({
    scenario: { id: 'sharegpt', dataset: 'sharegpt' },
    unknownName: 'zzz',
  });
  for (const name of ['chatbot', 'custom', 'unspecified', 'pp512']) expect(resolve({ name }).unknownName).toBeNull();
});

// Without numbers, all unknown workloads would be averaged together.
test.each([
  ['chatbto', 'chatbot'],
  ['my workload zzz', 'chatbot'],
  ['qqqqqqqq', 'decode-bound'],
])('rejects the unknown name %s without other facts, and suggests known names', (name, known) => {
  for (const depth of [null, 0, 512]) {
    const { fault, unknownName } = resolve({ name, depth });
    expect(fault).toMatchObject({ code: 'scenario_unknown', parameter: 'scenario' });
    expect(fault?.hint).toContain(known);
    expect(unknownName).toBeNull();
  }
});

describe('lengths close to a named shape', () => {
  test.each<[number, number, string]>([
    [973, 244, 'chatbot'],
    [972, 256, '970-260'],
    [1075, 268, 'chatbot'],
    [1076, 256, '1100-260'],
    [1024, 1024, '1k-1k'],
    [1000, 1000, '1k-1k'],
    [970, 970, '970-970'],
    [1000, 8000, '1k-8k'],
    [8192, 1024, '8k-1k'],
  ])('%s to %s is %s, requested or measured', (inputTokens, outputTokens, id) => {
    expect(resolve({ inputTokens, outputTokens }).scenario).toMatchObject({ id, inputTokens, outputTokens });
    // Measured values are not part of the identity.
    const measured = resolve({ measured: { inputTokens, outputTokens } }).scenario;
    expect(measured).toEqual({
      id,
      inputTokens: null,
      outputTokens: null,
      dataset: measured.dataset,
      depth: null,
      kernel: null,
    });
  });

  test('match the named shape, and other lengths contradict it', () => {
    expect(resolve({ name: 'chatbot', ...lengths(1000, 250) })).toMatchObject({
      scenario: { id: 'chatbot', inputTokens: 1000, outputTokens: 250 },
      fault: null,
    });
    const measured = (inputTokens: number) =>
      resolve({ name: 'chatbot', measured: { inputTokens, outputTokens: 250 } });
    expect(measured(1040)).toMatchObject({ scenario: { id: 'chatbot' }, fault: null });
    expect(measured(8000).fault).toMatchObject({ code: 'scenario_contradicted', parameter: 'input_tokens' });
  });
});

test('selects the nearest of two named shapes', () => {
  const random = (tokens: number) => resolve({ ...lengths(tokens, tokens), dataset: 'random' }).scenario.id;
  expect([1000, 1010, 1020, 1024].map(random)).toEqual(['random-1000-1000', 'random-1000-1000', '1k-1k', '1k-1k']);
});

test.each<[string, Partial<ScenarioFacts>, string]>([
  ['measured means', { measured: { inputTokens: 198.3, outputTokens: 59.7 } }, '200-60'],
  ['requested lengths', lengths(1536, 256), '1500-260'],
  [
    'requested lengths before measured ones',
    { ...lengths(1536, 256), measured: { inputTokens: 700, outputTokens: 9 } },
    '1500-260',
  ],
  ['an input length', { inputTokens: 500 }, 'in-500'],
  ['an output length', { outputTokens: 128 }, 'out-130'],
  ['a depth', { ...lengths(1536, 256), depth: 4096 }, '1500-260@d4096'],
  ['a data set with requested lengths', { ...lengths(550, 150), dataset: 'sonnet' }, 'sonnet-550-150'],
  [
    'a data set with measured lengths',
    { dataset: 'sonnet', measured: { inputTokens: 550, outputTokens: 150 } },
    'sonnet',
  ],
  ['a data set by its repository', { dataset: 'AI-MO/aimo-validation-aime' }, 'ai-mo-aimo-validation-aime'],
  ['a data set named like a shape', { dataset: 'chatbot' }, 'data-chatbot'],
  ['data without a name', { dataset: 'custom', ...lengths(1024, 256) }, '1000-260'],
  ['the data set of a benchmark', { dataset: 'mlperf-llama2-70b' }, 'mlperf-llama2-70b'],
  ['the name of a benchmark', { name: 'MLPerf Llama2-70B' }, 'mlperf-llama2-70b'],
  ['a name of lengths', { name: '200-60' }, '200-60'],
  ['a name of lengths that are those of another shape', { name: '1024-1024' }, '1k-1k'],
])('%s determine the shape', (_title, facts, id) => {
  expect(resolve(facts)).toMatchObject({ scenario: { id }, fault: null, unknownName: null });
});

test('rejects lengths that contradict a name of lengths', () => {
  expect(resolve({ name: '200-60', ...lengths(204, 60) }).fault).toBeNull();
  expect(resolve({ name: '200-60', ...lengths(250, 60) }).fault).toMatchObject({
    code: 'scenario_contradicted',
    parameter: 'input_tokens',
  });
});

test('calls no scenario custom, for any input', () => {
  for (const facts of [{ name: 'custom' }, { name: 'Custom', ...lengths(77, 5) }, { dataset: 'custom' }])
    expect(resolve(facts)).toMatchObject({ fault: null, unknownName: null });
  expect(resolve({ dataset: 'custom' }).scenario.id).toBe('unspecified');
});
