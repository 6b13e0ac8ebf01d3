import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { parseTraffic } from './experiment.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(`genai-bench/${name}`, root), 'utf8');
const load = (name: string) => JSON.parse(textOf(name));
const read = (value: unknown) =>
  readArtifact(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));

function faultsOf(value: unknown): readonly Fault[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe('a run in seconds', () => {
  const run = load('0.0.1-fixed.json');
  const [result] = read(run).results;

  test('reads latencies with their formulas', () => {
    // 8 requests with a time to first token of 100 to 170 ms.
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 135, ttft_ms_max: 170, tpot_ms_mean: 10.35 });
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
  });

  test('reads counts, totals and the number of users', () => {
    expect(result?.metrics).toMatchObject({
      requests_ok: 8,
      requests_failed: 0,
      input_tokens: 800,
      output_tokens: 808,
    });
    expect(result?.metrics.duration_s).toBe(4.7736);
    expect(result?.load).toEqual({ mode: 'concurrency', level: 2 });
    expect(result?.scenario).toMatchObject({
      inputTokens: { value: 100, origin: 'stated' },
      outputTokens: { value: 101, origin: 'stated' },
      dataset: null,
    });
    expect(result?.notes).toEqual([]);
  });

  test('reads every request', () => {
    expect(result?.requests).toHaveLength(8);
    expect(result?.requests?.[1]).toMatchObject({ inputTokens: 100, outputTokens: 101, ttftMs: 110, e2eMs: 1120 });
  });

  test('omits the requests if the program filtered some out of its statistics', () => {
    run.individual_request_metrics[3].tpot = null;
    expect(read(run).results[0]?.requests).toBeNull();
  });
});

describe('an experiment followed by its results, in ms', () => {
  const text = textOf('0.0.3-experiment-and-ms.json');
  const reading = read(text);
  const [result] = reading.results;

  // Without reading the unit, the latency would be a thousand times larger.
  test('reads latencies in the unit of the file, and the duration in seconds', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 204, e2e_ms_min: 4180, duration_s: 19.947528 });
    expect(result?.requests?.[0]).toMatchObject({ ttftMs: 200, e2eMs: 4180 });
  });

  test('reads the described server', () => {
    expect(reading.tool).toEqual({ name: 'genai-bench', version: '0.0.3' });
    expect(result?.system).toMatchObject({
      model: { value: 'example-org/example-8b', origin: 'context' },
      gpu: { value: 'H100', origin: 'context' },
      gpuCount: { value: 4, origin: 'context' },
      engine: { value: 'SGLang', origin: 'context' },
      engineVersion: { value: 'v0.5.3', origin: 'context' },
    });
    expect(result?.scenario.dataset).toEqual({ value: 'example.csv', origin: 'context' });
  });

  test('keeps only the status of a failed request', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 9, requests_failed: 1 });
    expect(result?.requests?.[9]).toMatchObject({ error: 'error 502', e2eMs: null });
    expect(JSON.stringify(reading.results)).not.toContain('Bad gateway');
  });

  test('allows text between the two, and applies the server to a second run', () => {
    const at = text.indexOf('\n}\n') + 3;
    const second = text.slice(at).replaceAll('19.947528', '19.947529');
    const parted = read(`${text.slice(0, at)}some words\n${text.slice(at)}${second}`);
    expect(parted.results.map(({ system }) => system.gpu?.value)).toEqual(['H100', 'H100']);
  });
});

// The whole time divided by a part of the tokens is not a valid speed.
test('omits token rates if warm-up requests were left out', () => {
  const [result] = read(load('0.0.3-warmup-left-out.json')).results;
  expect(result?.metrics).toMatchObject({ requests_ok: 10, ttft_ms_min: 102 });
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /tok/.test(name))).toEqual([]);
  expect(result?.requests).toBeNull();
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'requests_trimmed' })]);
});

test('omits rates per minute except the total, the only one measured over the run', () => {
  const [result] = read(load('2024-per-minute.json')).results;
  expect(result?.metrics).toMatchObject({ req_s: 2, total_tok_s: 402 });
  expect(result?.metrics.output_tok_s).toBeUndefined();
  expect(result?.requests).toBeNull();
});

test('reads embeddings without a first token and a time per token', () => {
  const [result] = read(load('0.0.3-embeddings.json')).results;
  expect(result?.definitions).toEqual({ e2e_ms: 'request' });
  expect(result?.metrics.e2e_ms_mean).toBe(52.5);
  expect(result?.extra).toMatchObject({ traffic: 'E(512)', documents_per_request: 4 });
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'no_answers' })]);
});

describe('traffic', () => {
  const lengths = (text: string | null) => {
    const { inputTokens, outputTokens } = parseTraffic(text).facts;
    return [inputTokens?.value, outputTokens?.value, inputTokens?.origin];
  };

  test.each([
    ['D(100,1000)', [100, 1000, 'stated']],
    ['N(480,240)/(300,150)', [480, 300, 'inferred']],
    ['U(100,200)/(200,400)', [150, 300, 'inferred']],
    // From 1 to 199 and to 99.
    ['U(199,99)', [100, 50, 'inferred']],
    ['D(100, 1000)', [100, 1000, 'stated']],
    ['dataset', [undefined, undefined, undefined]],
    ['I(512,512)', [undefined, undefined, undefined]],
    ['D(100)', [undefined, undefined, undefined]],
    [null, [undefined, undefined, undefined]],
  ])('reads lengths from %j', (text, expected) => {
    expect(lengths(text)).toEqual(expected);
  });

  test.each([
    ['E(512)', 'embedding'],
    ['R(512,100)', 'embedding'],
    ['I(512,512)', 'image'],
    ['A(500)', 'other'],
    ['dataset', 'text'],
  ])('reads %s as %s', (text, kind) => {
    expect(parseTraffic(text).kind).toBe(kind);
  });

  test('reads any fixed lengths', () => {
    const length = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(length, length, (input, output) => {
        expect(lengths(`D(${input},${output})`)).toEqual([input, output, 'stated']);
      }),
    );
  });
});

describe('rejects', () => {
  test('a run in which all requests failed', () => {
    expect(faultsOf(load('0.0.3-all-failed.refused.json'))[0]).toMatchObject({ code: 'nothing_measured', line: 1 });
  });

  test('all invalid values at once, with their locations', () => {
    expect(faultsOf(load('0.0.3-wrong-values.refused.json')).map(({ pointer }) => pointer)).toEqual([
      '/_time_unit',
      '/individual_request_metrics/1/ttft',
      '/individual_request_metrics/2',
      '/aggregated_metrics/run_duration',
    ]);
  });

  test('an experiment without results', () => {
    const text = textOf('0.0.3-experiment-and-ms.json');
    const fault = faultsOf(text.slice(0, text.indexOf('\n}\n') + 3)).find(({ code }) => code === 'tool_unrecognised');
    expect(fault).toMatchObject({ line: 1 });
  });

  test('a run truncated at any position, without an unexpected error', () => {
    const text = textOf('0.0.1-fixed.json').trimEnd();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length - 1 }), (end) => {
        expect(faultsOf(text.slice(0, end)).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });
});
