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

  test('latencies by their formula', () => {
    // 8 requests with a time to first token of 100 to 170 ms.
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 135, ttft_ms_max: 170, tpot_ms_mean: 10.35 });
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
  });

  test('counts, totals and users', () => {
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

  test('every request', () => {
    expect(result?.requests).toHaveLength(8);
    expect(result?.requests?.[1]).toMatchObject({ inputTokens: 100, outputTokens: 101, ttftMs: 110, e2eMs: 1120 });
  });

  test('requests that the program filtered out of its statistics are no proof against them', () => {
    run.individual_request_metrics[3].tpot = null;
    expect(read(run).results[0]?.requests).toBeNull();
  });
});

describe('an experiment before its results, in ms', () => {
  const text = textOf('0.0.3-experiment-and-ms.json');
  const reading = read(text);
  const [result] = reading.results;

  // Without reading the unit, the latency would be a thousand times larger.
  test('the unit of the file counts, and the duration stays in seconds', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 204, e2e_ms_min: 4180, duration_s: 19.947528 });
    expect(result?.requests?.[0]).toMatchObject({ ttftMs: 200, e2eMs: 4180 });
  });

  test('the server as it was described', () => {
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

  test('a failed request keeps its status and nothing else', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 9, requests_failed: 1 });
    expect(result?.requests?.[9]).toMatchObject({ error: 'error 502', e2eMs: null });
    expect(JSON.stringify(reading.results)).not.toContain('Bad gateway');
  });

  test('text between the two does not part them, and a second run has the same server', () => {
    const at = text.indexOf('\n}\n') + 3;
    const parted = read(`${text.slice(0, at)}some words\n${text.slice(at)}${text.slice(at)}`);
    expect(parted.results.map(({ system }) => system.gpu?.value)).toEqual(['H100', 'H100']);
  });
});

// The whole time divided by a part of the tokens is not a valid speed.
test('requests left out as warm-up take the token rates with them', () => {
  const [result] = read(load('0.0.3-warmup-left-out.json')).results;
  expect(result?.metrics).toMatchObject({ requests_ok: 10, ttft_ms_min: 102 });
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /tok/.test(name))).toEqual([]);
  expect(result?.requests).toBeNull();
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'requests_trimmed' })]);
});

test('rates per minute are older: only the total was taken over the run', () => {
  const [result] = read(load('2024-per-minute.json')).results;
  expect(result?.metrics).toMatchObject({ req_s: 2, total_tok_s: 402 });
  expect(result?.metrics.output_tok_s).toBeUndefined();
  expect(result?.requests).toBeNull();
});

test('embeddings have neither a first token nor a time per token', () => {
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
  ])('%j', (text, expected) => {
    expect(lengths(text)).toEqual(expected);
  });

  test.each([
    ['E(512)', 'embedding'],
    ['R(512,100)', 'embedding'],
    ['I(512,512)', 'image'],
    ['A(500)', 'other'],
    ['dataset', 'text'],
  ])('%s is of %s', (text, kind) => {
    expect(parseTraffic(text).kind).toBe(kind);
  });

  test('any fixed lengths are those of every request', () => {
    const length = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(length, length, (input, output) => {
        expect(lengths(`D(${input},${output})`)).toEqual([input, output, 'stated']);
      }),
    );
  });
});

describe('refused', () => {
  test('a run in which everything failed', () => {
    expect(faultsOf(load('0.0.3-all-failed.refused.json'))[0]).toMatchObject({ code: 'nothing_measured', line: 1 });
  });

  test('every wrong value at once, with its place', () => {
    expect(faultsOf(load('0.0.3-wrong-values.refused.json')).map(({ pointer }) => pointer)).toEqual([
      '/_time_unit',
      '/individual_request_metrics/1/ttft',
      '/individual_request_metrics/2',
      '/aggregated_metrics/run_duration',
    ]);
  });

  test('an experiment alone, which measured nothing', () => {
    const text = textOf('0.0.3-experiment-and-ms.json');
    const fault = faultsOf(text.slice(0, text.indexOf('\n}\n') + 3)).find(({ code }) => code === 'tool_unrecognised');
    expect(fault).toMatchObject({ line: 1 });
  });

  test('a run cut anywhere, never with another error', () => {
    const text = textOf('0.0.1-fixed.json').trimEnd();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length - 1 }), (end) => {
        expect(faultsOf(text.slice(0, end)).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });
});
