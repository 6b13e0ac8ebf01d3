import { describe, expect, test } from 'vitest';
import { type Fact, noFacts, noScenario, type ParsedResult, type ScenarioFacts } from '../../adapters/adapter.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import type { Parameters } from '../parameters.ts';
import { resolveWorkload } from './resolve-scenario.ts';

const stated = <T>(value: T): Fact<T> => ({ value, origin: 'stated' });
const inferred = <T>(value: T): Fact<T> => ({ value, origin: 'inferred' });
const one: KnownLoad = { mode: 'concurrency', level: 1 };

function parsedOf(facts: Partial<ScenarioFacts>, load: KnownLoad = one): ParsedResult {
  return {
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
}

function resolve(facts: Partial<ScenarioFacts>, given: Parameters = {}, load: KnownLoad = one) {
  return resolveWorkload(parsedOf(facts, load), load, given);
}
const bare = { id: 'unspecified', dataset: null, depth: null, kernel: null };

describe('a workload', () => {
  test.each<[string, Partial<ScenarioFacts>, Parameters]>([
    ['named in the parameters', {}, { scenario: 'chatbot' }],
    ['named by an alias', {}, { scenario: 'Chat' }],
    ['named by the artifact', { name: stated('chatbot') }, {}],
    ['given by its lengths', { inputTokens: stated(1024), outputTokens: stated(256) }, {}],
    ['given by lengths in the parameters', {}, { input_tokens: 1024, output_tokens: 256 }],
    ['given half by each', { inputTokens: stated(1024) }, { output_tokens: 256 }],
    ['named and given', { inputTokens: stated(1024), outputTokens: stated(256) }, { scenario: 'chatbot' }],
  ])('%s is chatbot', (_, facts, given) => {
    const { scenario, faults } = resolve(facts, given);
    expect(faults).toEqual([]);
    expect(scenario).toEqual({ ...bare, id: 'chatbot', inputTokens: 1024, outputTokens: 256 });
  });

  test('without a name is named after its lengths', () => {
    expect(resolve({ inputTokens: stated(77) }, { output_tokens: 5 })).toEqual({
      scenario: { ...bare, id: '77-5', inputTokens: 77, outputTokens: 5 },
      lengths: null,
      faults: [],
      findings: [],
    });
    expect(resolve({}).scenario).toEqual({ ...bare, inputTokens: null, outputTokens: null });
  });

  test('of the offline grid depends on the batch size', () => {
    const facts = { inputTokens: stated(256), outputTokens: stated(512) };
    expect(resolve(facts, {}, { mode: 'batch', level: 1 }).scenario.id).toBe('decode-bound');
    expect(resolve(facts, {}, { mode: 'batch', level: 2 }).scenario.id).toBe('260-510');
    expect(resolve(facts, {}, one).scenario.id).toBe('260-510');
  });

  test('of a kernel is named after its case, without tokens', () => {
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

describe('contradictions are rejected', () => {
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
    ['a misspelt name', {}, { scenario: 'chatbott' }, 'scenario_unknown scenario'],
  ])('%s', (_, facts, given, expected) => {
    expect(resolve(facts, given).faults.map((fault) => `${fault.code} ${fault.parameter}`)).toContain(expected);
  });

  test('are all reported at once', () => {
    const { faults } = resolve(
      { inputTokens: stated(1), outputTokens: stated(2), dataset: stated('sharegpt') },
      { input_tokens: 3, output_tokens: 4, dataset: 'random' },
    );
    expect(faults.map((fault) => fault.parameter)).toEqual(['input_tokens', 'output_tokens', 'dataset']);
  });
});

describe('equivalent spellings are accepted', () => {
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
    ['a file name of it', 'sharegpt', 'ShareGPT_V3_unfiltered_cleaned_split.json'],
    ['synthetic prompts', 'synthetic', 'random'],
  ])('data set: %s', (_, given, found) => {
    expect(resolve({ dataset: stated(found) }, { dataset: given }).faults).toEqual([]);
  });
});

test('the value of the client overrides a hint, with a finding', () => {
  const { scenario, findings, faults } = resolve({ name: inferred('rag') }, { scenario: 'chatbot' });
  expect(faults).toEqual([]);
  expect(scenario.id).toBe('chatbot');
  expect(findings.map((finding) => finding.code)).toEqual(['scenario_hint_differs']);
});

describe('mean lengths', () => {
  const means = (inputTokens: number, outputTokens: number) => ({ lengths: { inputTokens, outputTokens } });
  const totals = { requests_ok: 10, input_tokens: 1983, output_tokens: 597 };
  const resolveWith = (facts: Partial<ScenarioFacts>, given: Parameters = {}) =>
    resolveWorkload({ ...parsedOf(facts), metrics: totals }, one, given);

  test('determine the shape, but are not stored as requested lengths', () => {
    expect(resolve(means(511.98, 127.99))).toMatchObject({
      scenario: { ...bare, id: '510-130', inputTokens: null, outputTokens: null },
      lengths: { inputTokens: 511.98, outputTokens: 127.99 },
    });
  });

  test('from totals determine the shape only without other facts', () => {
    expect(resolveWith({})).toMatchObject({ scenario: { id: '200-60', inputTokens: null }, lengths: null });
    expect(resolveWith(means(511.98, 127.99)).scenario.id).toBe('510-130');
    expect(resolveWith({ inputTokens: stated(1024), outputTokens: stated(256) }).scenario.id).toBe('chatbot');
    // A name states the request; totals do not contradict it.
    expect(resolveWith({}, { scenario: 'chatbot' })).toMatchObject({
      scenario: { id: 'chatbot', inputTokens: 1024, outputTokens: 256 },
      faults: [],
    });
  });

  test('include a length that is not a whole number', () => {
    expect(resolve({ inputTokens: inferred(199.984375), outputTokens: stated(128) })).toMatchObject({
      scenario: { id: '200-130', inputTokens: null, outputTokens: 128 },
      lengths: { inputTokens: 199.984375, outputTokens: null },
    });
  });

  test('do not override given lengths', () => {
    const { scenario, lengths, faults } = resolve(means(511.98, 127.99), { input_tokens: 512, output_tokens: 128 });
    expect(scenario).toMatchObject({ id: '510-130', inputTokens: 512, outputTokens: 128 });
    expect(lengths).toEqual({ inputTokens: 511.98, outputTokens: 127.99 });
    expect(faults).toEqual([]);
  });
});

test('ignores the scenario name custom', () => {
  expect(resolve({ name: stated('chatbot') }, { scenario: 'custom' })).toMatchObject({
    scenario: { id: 'chatbot' },
    faults: [],
  });
  expect(resolve({ inputTokens: stated(77) }, { scenario: 'Custom', output_tokens: 5 })).toMatchObject({
    scenario: { id: '77-5' },
    faults: [],
    findings: [],
  });
});

describe('an entry of the open division of MLPerf', () => {
  const dataset = stated('mlperf-llama2-70b-99.9');
  const of = (features: ParsedResult['system']['features'], title: string | null, given: Parameters = {}) => {
    const parsed = { ...parsedOf({ name: dataset, dataset }), system: { ...noFacts, features } };
    const source = { publisher: null, title, url: null, licence: null, entry: null, retrieved_at: null };
    return resolveWorkload(title === null ? parsed : { ...parsed, source }, one, given).scenario.id;
  };

  test('has a separate workload, declared by its system or its source', () => {
    expect(of({ division: 'open' }, null)).toBe('mlperf-llama2-70b-99.9-open');
    expect(of({}, 'MLPerf Inference v5.1, Open')).toBe('mlperf-llama2-70b-99.9-open');
    expect(of({}, null, { source_title: 'MLPerf Inference v5.1, Open' })).toBe('mlperf-llama2-70b-99.9-open');
    expect(of({}, null, { features: { division: 'open' } })).toBe('mlperf-llama2-70b-99.9-open');
  });

  test('is detected only in that division', () => {
    expect(of({}, 'MLPerf Inference v5.1, Closed')).toBe('mlperf-llama2-70b-99.9');
    expect(of({ division: 'closed' }, null)).toBe('mlperf-llama2-70b-99.9');
    const chatbot = {
      ...parsedOf({ name: stated('chatbot') }),
      system: { ...noFacts, features: { division: 'open' } },
    };
    expect(resolveWorkload(chatbot, one, {}).scenario.id).toBe('chatbot');
  });

  test('keeps a workload that it names', () => {
    const named = stated('mlperf-llama2-70b-99.9-open');
    const parsed = {
      ...parsedOf({ name: named, dataset: named }),
      system: { ...noFacts, features: { division: 'open' } },
    };
    const { scenario, faults } = resolveWorkload(parsed, one, {});
    expect(faults).toEqual([]);
    expect(scenario).toMatchObject({ id: named.value, dataset: named.value });
  });
});
