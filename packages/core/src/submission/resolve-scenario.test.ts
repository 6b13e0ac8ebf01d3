import { describe, expect, test } from 'vitest';
import { type Fact, noFacts, noScenario, type ParsedResult, type ScenarioFacts } from '../adapters/adapter.ts';
import type { KnownLoad } from '../load.ts';
import type { Parameters } from './parameters.ts';
import { resolveWorkload } from './resolve-scenario.ts';

const stated = <T>(value: T): Fact<T> => ({ value, origin: 'stated' });
const inferred = <T>(value: T): Fact<T> => ({ value, origin: 'inferred' });
const one: KnownLoad = { mode: 'concurrency', level: 1 };

function resolve(facts: Partial<ScenarioFacts>, given: Parameters = {}, load: KnownLoad = one) {
  const parsed: ParsedResult = {
    kind: 'serving',
    system: noFacts,
    scenario: { ...noScenario, ...facts },
    load,
    repetition: null,
    metrics: {},
    definitions: {},
    repeats: null,
    requests: null,
    limits: null,
    extra: {},
    notes: [],
    measuredAt: null,
    lines: { from: 1, to: 1 },
  };
  return resolveWorkload(parsed, load, given);
}
const bare = { id: 'unspecified', dataset: null, depth: null, kernel: null };

describe('a workload', () => {
  test.each<[string, Partial<ScenarioFacts>, Parameters]>([
    ['named by the caller', {}, { scenario: 'chatbot' }],
    ['named by an alias', {}, { scenario: 'Chat' }],
    ['named by the artifact', { name: stated('chatbot') }, {}],
    ['told by its numbers', { inputTokens: stated(1024), outputTokens: stated(256) }, {}],
    ['told by numbers of the caller', {}, { input_tokens: 1024, output_tokens: 256 }],
    ['told half by each', { inputTokens: stated(1024) }, { output_tokens: 256 }],
    ['named and told', { inputTokens: stated(1024), outputTokens: stated(256) }, { scenario: 'chatbot' }],
  ])('%s is the chatbot', (_, facts, given) => {
    const { scenario, faults } = resolve(facts, given);
    expect(faults).toEqual([]);
    expect(scenario).toEqual({ ...bare, id: 'chatbot', inputTokens: 1024, outputTokens: 256 });
  });

  test('without a name is named by its numbers', () => {
    expect(resolve({ inputTokens: stated(77) }, { output_tokens: 5 })).toEqual({
      scenario: { ...bare, id: '77-5', inputTokens: 77, outputTokens: 5 },
      lengths: null,
      faults: [],
      findings: [],
    });
    expect(resolve({}).scenario).toEqual({ ...bare, inputTokens: null, outputTokens: null });
  });

  test('of the offline grid belongs to its batch size', () => {
    const facts = { inputTokens: stated(256), outputTokens: stated(512) };
    expect(resolve(facts, {}, { mode: 'batch', level: 1 }).scenario.id).toBe('decode-bound');
    expect(resolve(facts, {}, { mode: 'batch', level: 2 }).scenario.id).toBe('260-510');
    expect(resolve(facts, {}, one).scenario.id).toBe('260-510');
  });

  test('of a kernel is named by its case and has no tokens', () => {
    const kernel = {
      operation: 'flexattention',
      case: 'Sliding Window (1024)',
      shape: [8, 16, 4096, 64],
      sparsity: 0.5,
    };
    expect(resolve({ kernel })).toEqual({
      scenario: { ...bare, id: 'sliding-window-1024', inputTokens: null, outputTokens: null, kernel },
      lengths: null,
      faults: [],
      findings: [],
    });
    expect(resolve({ kernel: { ...kernel, case: '—' } }).scenario.id).toBe('unspecified');
  });
});

describe('a contradiction is a fault', () => {
  test.each<[string, Partial<ScenarioFacts>, Parameters, string]>([
    ['input tokens', { inputTokens: stated(1024) }, { input_tokens: 2048 }, 'facts_contradict input_tokens'],
    ['output tokens', { outputTokens: stated(256) }, { output_tokens: 0 }, 'facts_contradict output_tokens'],
    ['the data set', { dataset: stated('sharegpt') }, { dataset: 'random' }, 'facts_contradict dataset'],
    ['the name', { name: stated('rag') }, { scenario: 'chatbot' }, 'facts_contradict scenario'],
    [
      'a name and numbers',
      { inputTokens: stated(2048) },
      { scenario: 'chatbot' },
      'scenario_contradicted input_tokens',
    ],
    [
      'a name and a data set',
      { dataset: stated('sharegpt') },
      { scenario: 'chatbot' },
      'scenario_contradicted dataset',
    ],
    ['a name and the load', {}, { scenario: 'decode-bound' }, 'scenario_contradicted load'],
    ['a name that is a slip', {}, { scenario: 'chatbott' }, 'scenario_unknown scenario'],
  ])('%s', (_, facts, given, expected) => {
    expect(resolve(facts, given).faults.map((fault) => `${fault.code} ${fault.parameter}`)).toContain(expected);
  });

  test('all of them are told at once', () => {
    const { faults } = resolve(
      { inputTokens: stated(1), outputTokens: stated(2), dataset: stated('sharegpt') },
      { input_tokens: 3, output_tokens: 4, dataset: 'random' },
    );
    expect(faults.map((fault) => fault.parameter)).toEqual(['input_tokens', 'output_tokens', 'dataset']);
  });
});

describe('two spellings of one thing are no contradiction', () => {
  test.each([
    ['case', 'Chatbot', 'chatbot'],
    ['an alias and the id', 'chatbot', 'chat'],
    ['separators', 'decode_bound', 'decode-bound'],
    ['the title and the id', 'RAG / QA', 'rag'],
  ])('scenario: %s', (_, given, found) => {
    const { faults } = resolve({ name: stated(found) }, { scenario: given }, { mode: 'batch', level: 1 });
    expect(faults).toEqual([]);
  });

  test.each([
    ['case', 'ShareGPT', 'sharegpt'],
    ['a file of it', 'sharegpt', 'ShareGPT_V3_unfiltered_cleaned_split.json'],
    ['made-up prompts', 'synthetic', 'random'],
  ])('data set: %s', (_, given, found) => {
    expect(resolve({ dataset: stated(found) }, { dataset: given }).faults).toEqual([]);
  });
});

test("a hint gives way to the caller's word, and a finding tells of it", () => {
  const { scenario, findings, faults } = resolve({ name: inferred('rag') }, { scenario: 'chatbot' });
  expect(faults).toEqual([]);
  expect(scenario.id).toBe('chatbot');
  expect(findings.map((finding) => finding.code)).toEqual(['scenario_hint_differs']);
});
