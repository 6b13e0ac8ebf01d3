import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../reading/documents/json.ts';
import { formatStrategy, noWorkload, parseStrategy, toLoad, toStrategy, toWorkload } from './workload.ts';

const length = fc.integer({ min: 1, max: 1_000_000 });
const spread = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: null });

describe('a description of data', () => {
  test('has the same meaning in every notation', () => {
    fc.assert(
      fc.property(length, length, spread, (input, output, deviation) => {
        const asked = {
          prompt_tokens: input,
          ...(deviation === null ? {} : { prompt_tokens_stdev: deviation }),
          output_tokens: output,
        };
        const pairs = Object.entries(asked);
        const json = JSON.stringify(asked);
        const python = `{${pairs.map(([name, value]) => `'${name}': ${value}`).join(', ')}}`;
        const expected = { input, output, inputVaries: deviation !== null, outputVaries: false, dataset: null };
        for (const written of [
          pairs.map(([name, value]) => `${name}=${value}`).join(','),
          pairs.map(([name, value]) => `${name} = ${value}`).join(', '),
          json,
          [json],
          `['${json}']`,
          python,
          `[${python}]`,
          asked,
          [asked],
          { kind: 'synthetic_text', ...asked },
        ])
          expect(toWorkload(written)).toEqual(expected);
      }),
    );
  });

  test.each([
    ['prompt_tokens=64,generated_tokens=16', { input: 64, output: 16 }],
    ['prompt_tokens=64,generated_tokens=16,generated_tokens_variance=4', { output: 16, outputVaries: true }],
    ['prompt_tokens=64,prompt_tokens_min=10,prompt_tokens_max=100', { input: 64, inputVaries: true }],
    ['prompt_tokens=64,prompt_tokens_min=64,prompt_tokens_max=64', { input: 64, inputVaries: false }],
    ['prompt_tokens=64,prompt_tokens_stdev=0', { input: 64, inputVaries: false }],
    // Not a number of tokens.
    ['prompt_tokens=64.5', { input: null }],
    ['prompt_tokens=0,output_tokens=8', { input: null, output: 8 }],
    ['my_prompt_tokens=64', { input: null }],
  ])('%s', (written, expected) => {
    expect(toWorkload(written)).toMatchObject(expected);
  });

  test.each([
    ['openai/gsm8k', 'openai/gsm8k'],
    ['/home/someone/prompts.jsonl', 'prompts.jsonl'],
    ['C:\\data\\prompts.jsonl', 'prompts.jsonl'],
    ['["openai/gsm8k"]', null],
    ['Tell me a story about a fox.', null],
    ['', null],
  ])('reads the data set %j as %j', (written, dataset) => {
    expect(toWorkload(written)).toEqual({ ...noWorkload, dataset });
  });

  test('reads the data set from a source with a kind', () => {
    expect(toWorkload([{ kind: 'huggingface', source: 'openai/gsm8k' }]).dataset).toBe('openai/gsm8k');
  });

  test('accepts any JSON value, and never repeats a prompt', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // As a JSON parser returns it.
        expect(toWorkload(readJson(JSON.stringify(value)).value).dataset ?? '').not.toMatch(/\s/);
      }),
    );
  });
});

describe('the name of a strategy', () => {
  const kind = fc.constantFrom('synchronous', 'throughput', 'constant', 'poisson', 'concurrent');

  test('is parsed back to the same load', () => {
    fc.assert(
      fc.property(kind, fc.integer({ min: 1, max: 99_999 }), (name, level) => {
        const rate = name === 'constant' || name === 'poisson' ? level / 100 : null;
        const streams = name === 'concurrent' ? level : null;
        const strategy = { kind: name, rate, streams, maxConcurrency: null };
        const read = parseStrategy(formatStrategy(strategy));
        expect(toLoad(read, null)).toEqual(toLoad(strategy, null));
        expect(read.kind).toBe(name);
      }),
    );
  });

  test.each([
    ['constant@1.15', { mode: 'rate', level: 1.15 }],
    ['poisson@2.00', { mode: 'rate', level: 2, burstiness: 1 }],
    ['concurrent@8', { mode: 'concurrency', level: 8 }],
    ['synchronous', { mode: 'concurrency', level: 1 }],
    // Older names, and truncated or incomplete ones.
    ['asynchronous@1.50', { mode: 'rate', level: 1.5 }],
    ['throughput', null],
    ['constant', null],
    ['constant@1.…', null],
    ['constant@', null],
    ['concurrent@0', null],
    ['sweep@3', null],
    ['', null],
  ])('%s', (name, load) => {
    expect(toLoad(parseStrategy(name), null)).toEqual(load);
  });

  test('maps throughput to a burst, or to a closed loop if requests were cut off or capped', () => {
    const throughput = (maxConcurrency: number | null = null) => parseStrategy('throughput', maxConcurrency);
    expect(toLoad(throughput(), { all: 30, cutOff: 0 })).toEqual({ mode: 'burst', level: 30 });
    expect(toLoad(throughput(), { all: 736, cutOff: 512 })).toEqual({ mode: 'concurrency', level: 512 });
    expect(toLoad(throughput(64), { all: 65, cutOff: 0 })).toEqual({ mode: 'concurrency', level: 64 });
    expect(toLoad(throughput(64), { all: 64, cutOff: 0 })).toEqual({ mode: 'burst', level: 64 });
    expect(toLoad(throughput(), { all: 0, cutOff: 0 })).toBeNull();
  });

  test('is an object with a type in JSON', () => {
    expect(toStrategy({ type_: 'constant', rate: 2.5 })).toEqual({
      kind: 'constant',
      rate: 2.5,
      streams: null,
      maxConcurrency: null,
    });
    for (const text of ['null', '"constant"', '{}', '{"type_": 1}', '[]'])
      expect(toStrategy(readJson(text).value)).toBeNull();
  });
});
