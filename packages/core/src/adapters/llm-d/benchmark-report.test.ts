import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { findUnitDoubt } from './benchmark-report-doubts.ts';
import { toDurationS, toInstant } from './benchmark-report-time.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(`llm-d-benchmark-report/${name}`, root), 'utf8');
const load = (name: string) => JSON.parse(textOf(name));
const read = (value: unknown) =>
  readArtifact(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));
const one = (value: unknown) => read(value).results[0];

function faultsOf(value: unknown): readonly Fault[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe('0.2 in YAML, with disaggregated prefill and decode', () => {
  const reading = read(textOf('0.2-prefill-and-decode.yaml'));
  const [result] = reading.results;

  test('converts seconds to milliseconds by their unit', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 100, ttft_ms_p99: 118, tpot_ms_mean: 10, e2e_ms_max: 1320 });
    expect(result?.extra).toMatchObject({ ttft_ms_p75: 105, ttft_ms_p999: 120 });
    expect(reading.tool).toEqual({ name: 'llm-d benchmark report', version: '0.2' });
  });

  test('reads requests, tokens and rates', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 500, requests_failed: 0, req_s: 9.9, output_tok_s: 999.9 });
    // 500 requests of 1000 and 101 tokens.
    expect(result?.metrics).toMatchObject({ input_tokens: 500_000, output_tokens: 50_500 });
  });

  test('reads the stack as one system: 4 x 1 prefill GPUs, 4 decode GPUs', () => {
    expect(result?.system).toMatchObject({
      model: { value: 'example-org/example-8b', origin: 'stated' },
      gpu: { value: 'NVIDIA-H100-80GB-HBM3', origin: 'stated' },
      gpuCount: { value: 8, origin: 'stated' },
      engine: { value: 'vllm', origin: 'inferred' },
      engineVersion: null,
      parallelism: {},
    });
    expect(result?.system.features).toEqual({
      disaggregated: true,
      prefill_tensor_parallel: 1,
      prefill_workers: 4,
      prefill_gpus: 4,
      decode_tensor_parallel: 4,
      decode_workers: 1,
      decode_gpus: 4,
      // Only the arguments that both sides share; max-num-seqs differs.
      kv_cache_dtype: 'fp8',
      orchestrator: 'llm-d',
    });
  });

  test('reads the rate of the stage and the lengths of all requests', () => {
    expect(result?.load).toEqual({ mode: 'rate', level: 10, burstiness: 1 });
    expect(result?.scenario).toMatchObject({
      inputTokens: { value: 1000, origin: 'stated' },
      outputTokens: { value: 101, origin: 'stated' },
      dataset: { value: 'random', origin: 'stated' },
    });
    expect(result?.extra).toMatchObject({
      load_generator: 'inference-perf',
      load_generator_version: '0.3.0',
      stage: 3,
    });
  });

  // The program ran for all stages, so 412 s is not the duration of these requests.
  test('does not use the duration of the program as that of the measurement', () => {
    expect(result?.metrics.duration_s).toBeUndefined();
    expect(result?.extra.program_duration_s).toBe(412);
    expect(result?.measuredAt).toBe('2026-05-04T10:02:10.000Z');
  });

  test('omits registry hosts and namespaces', () => {
    expect(result?.extra.engine_image).toBe('llm-d-cuda:0.3.1');
    expect(JSON.stringify(reading.results)).not.toMatch(/registry\.example|namespace=/);
  });
});

describe('0.2 of GuideLLM', () => {
  const result = one(load('0.2-guidellm.json'));

  test('reads each latency in its own unit, and TPOT with its formula', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 100, tpot_ms_mean: 10, e2e_ms_mean: 2000, duration_s: 40 });
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
    expect(Object.keys(result?.metrics ?? {}).filter((name) => name.startsWith('itl'))).toEqual([]);
  });

  test('counts requests cut off at the end as neither successful nor failed', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 160, requests_failed: 0, output_tokens: 30_560 });
    expect(result?.notes).toEqual([
      expect.objectContaining({ code: 'requests_incomplete', evidence: { incomplete: 8 } }),
    ]);
    expect(result?.load).toEqual({ mode: 'concurrency', level: 8 });
    expect(result?.tolerance?.share).toBe(0.05);
  });

  test('reads two replicas of two GPUs, with facts from their command line', () => {
    expect(result?.system).toMatchObject({
      gpuCount: { value: 4, origin: 'stated' },
      quantization: { value: 'fp8', origin: 'stated' },
      engine: { value: 'vllm', origin: 'stated' },
      engineVersion: { value: '0.10.2', origin: 'stated' },
      parallelism: { tensor: 2 },
      features: { replicas: 2, prefix_caching: true },
    });
  });

  test('converts the time to UTC', () => {
    expect(result?.measuredAt).toBe('2026-05-04T10:00:00.000Z');
  });
});

test('0.2.1: reads failures, and computes no totals from lengths over all requests', () => {
  const result = one(textOf('0.2.1-vllm-images.json'));
  expect(result?.metrics).toMatchObject({ requests_ok: 400, requests_failed: 2, e2e_ms_mean: 1330, itl_ms_mean: 10 });
  expect(result?.metrics.input_tokens).toBeUndefined();
  expect(result?.definitions.itl_ms).toBe('per_chunk');
  // An infinite rate with a cap below the requests.
  expect(result?.load).toEqual({ mode: 'concurrency', level: 16 });
  expect(result?.system.quantization).toEqual({ value: 'FP8', origin: 'inferred' });
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'media_in_requests' })]);
});

describe('0.1', () => {
  const text = textOf('0.1-vllm-burst.yaml');
  const result = one(text);

  test('reads metrics and a burst', () => {
    expect(result?.metrics).toMatchObject({ duration_s: 25, requests_ok: 200, requests_failed: 0, output_tok_s: 512 });
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 4000, ttft_ms_sd: 320, tpot_ms_p99: 118 });
    expect(result?.load).toEqual({ mode: 'burst', level: 200 });
    expect(result?.measuredAt).toBe('2026-01-01T00:00:00.500Z');
  });

  test('reads hosts and engines from parallel lists', () => {
    expect(result?.system).toMatchObject({
      gpu: { value: 'L4', origin: 'stated' },
      gpuCount: { value: 4, origin: 'stated' },
      quantization: { value: 'fp16', origin: 'stated' },
      engineVersion: { value: '0.9.2', origin: 'stated' },
      features: { replicas: 2, prefix_caching: true, lora_adapters: 2 },
    });
  });

  test('counts requests without a response as failed', () => {
    const short = one(text.replace('num_prompts: 200', 'num_prompts: 203'));
    expect(short?.metrics).toMatchObject({ requests_ok: 200, requests_failed: 3 });
  });

  test('accepts a version without quotes', () => {
    expect(one(text.replace("version: '0.1'", 'version: 0.1'))?.metrics).toEqual(result?.metrics);
  });

  test('rejects lists of different lengths', () => {
    const cut = text.replace('- replica\n', '');
    expect(cut).not.toBe(text);
    expect(faultsOf(cut)[0]).toMatchObject({ code: 'lists_unequal', pointer: '/scenario/host/accelerator' });
  });
});

// Neither the value nor the unit is corrected: a note informs the reader, and the figures stay as stated.
test('keeps latencies in seconds labeled as ms, and notes the doubt', () => {
  const report = load('0.1-seconds-called-ms.json');
  const result = one(report);
  expect(result?.load).toEqual({ mode: 'concurrency', level: 8 });
  expect(result?.metrics.e2e_ms_mean).toBe(2);
  // 4 requests per second of 2 ms each.
  expect(result?.notes).toEqual([
    expect.objectContaining({
      code: 'unit_doubtful',
      evidence: expect.objectContaining({ in_flight: 0.008, ratio: 0.001 }),
    }),
  ]);
  for (const statistics of Object.values(report.metrics.latency)) Object.assign(statistics as object, { units: 's' }); // all are objects in the fixture
  report.metrics.latency.time_per_output_token.units = 's/token';
  report.metrics.latency.inter_token_latency.units = 's/token';
  expect(one(report)?.notes).toEqual([]);
  expect(one(report)?.metrics).toMatchObject({ e2e_ms_mean: 2000, ttft_ms_mean: 400, tpot_ms_mean: 50 });
});

describe('doubts about the unit of latency', () => {
  const closed = { mode: 'concurrency', level: 10 } as const;
  const doubt = (e2eMs: number, perSecond: number, more: Partial<Parameters<typeof findUnitDoubt>[0]> = {}) =>
    findUnitDoubt({
      metrics: new Map([
        ['e2e_ms_mean', e2eMs],
        ['req_s', perSecond],
      ]),
      load: null,
      meanOutput: null,
      unit: 'ms',
      ...more,
    });

  // The square root of 1000 is 31.6. With 10 users, 0.32 in flight is closer to correct, 0.31 closer to a factor of 1000.
  test.each([
    [320, false],
    [310, true],
    [316_000, false],
    [317_000, true],
  ])('10 users, 1 request per second of %d ms', (e2eMs, isDoubted) => {
    expect(doubt(e2eMs, 1, { load: closed }) !== null).toBe(isDoubted);
  });

  // 20 responses at 2 per second take 10 s.
  test.each([
    [10_000, false],
    [10_001, true],
  ])('20 requests in 10 s, each of %d ms', (e2eMs, isDoubted) => {
    const metrics = new Map([
      ['e2e_ms_mean', e2eMs],
      ['req_s', 2],
      ['requests_ok', 20],
    ] as const);
    expect(doubt(e2eMs, 2, { metrics }) !== null).toBe(isDoubted);
  });

  test.each([
    [20, false],
    [19.9, true],
  ])('100 tokens in %d ms', (e2eMs, isDoubted) => {
    expect(doubt(e2eMs, 1, { meanOutput: 100 }) !== null).toBe(isDoubted);
  });
});

describe('rejects', () => {
  test('a run in which all requests failed', () => {
    expect(faultsOf(load('0.2-all-failed.refused.json'))).toEqual([
      expect.objectContaining({ code: 'nothing_measured', line: 1, message: expect.stringContaining('0 of 168') }),
    ]);
  });

  test('all unknown units at once, with their locations', () => {
    const faults = faultsOf(load('0.2-other-units.refused.json'));
    expect(faults.map(({ code, pointer }) => `${code} ${pointer?.split('/').slice(4).join('/')}`)).toEqual([
      'value_invalid throughput/output_token_rate/mean',
      'unit_unknown throughput/request_rate/units',
      'unit_unknown latency/time_to_first_token/units',
      'unit_missing latency/request_latency/units',
      'unit_unknown latency/inter_token_latency/units',
    ]);
  });

  test('an unknown version, and sessions without requests', () => {
    expect(faultsOf(textOf('0.3-not-read.refused.yaml'))[0]).toMatchObject({ code: 'schema_unknown', line: 1 });
    expect(faultsOf(textOf('0.2-sessions-only.refused.yaml'))[0]).toMatchObject({ code: 'nothing_measured' });
  });

  test('more failures than requests', () => {
    const report = load('0.2-guidellm.json');
    report.results.request_performance.aggregate.requests.failures = 161;
    expect(faultsOf(report)[0]).toMatchObject({ code: 'value_invalid' });
    report.results.request_performance.aggregate.requests.failures = 159;
    expect(one(report)?.metrics.requests_ok).toBe(1);
  });

  test('a report truncated at any position, without an unexpected error', () => {
    const text = textOf('0.2-guidellm.json').trimEnd();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length - 1 }), (end) => {
        expect(faultsOf(text.slice(0, end)).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('several engines', () => {
  const engines = (change: (stack: { standardized: Record<string, unknown> }[]) => void) => {
    const report = load('0.2-guidellm.json');
    const [engine] = report.scenario.stack;
    report.scenario.stack = [engine, structuredClone(engine)];
    change(report.scenario.stack);
    return one(report)?.system;
  };
  const accelerator = (count: number, parallelism = {}) => ({
    model: 'NVIDIA-H100-80GB-HBM3',
    count,
    parallelism: { tp: 1, pp: 1, dp: 1, ep: 1, ...parallelism },
  });

  test('joins the names of two kinds of GPUs', () => {
    const system = engines(([, other]) => {
      if (other) other.standardized.accelerator = { ...accelerator(2), model: 'A100' };
    });
    expect(system?.gpu?.value).toBe('NVIDIA-H100-80GB-HBM3 + A100');
    expect(system?.parallelism).toEqual({});
  });

  test('has an unknown GPU count if one engine states 0', () => {
    const system = engines(([, other]) => {
      if (other) other.standardized.accelerator = accelerator(0);
    });
    expect(system?.gpuCount).toBeNull();
  });

  // 16 expert ranks on two machines with 8 each; the report counts one machine.
  test('counts the GPUs of all machines of a replica', () => {
    const system = engines((stack) => {
      for (const { standardized } of stack)
        standardized.accelerator = accelerator(8, { dp: 16, dp_local: 8, workers: 2 });
    });
    expect(system?.gpuCount).toEqual({ value: 64, origin: 'inferred' });
    expect(system?.parallelism).toEqual({ tensor: 1, data: 16 });
  });

  test('reads no model from two different ones', () => {
    const system = engines(([, other]) => {
      if (other) other.standardized.model = { name: 'example-org/other' };
    });
    expect(system?.model).toBeNull();
  });
});

test.each([
  ['PT49.5S', 49.5],
  ['PT1H2M3S', 3723],
  ['PT', null],
  ['49.5', null],
  [49.5, null],
])('parses the duration %j', (text, seconds) => {
  expect(toDurationS(text)).toBe(seconds);
});

test.each([
  ['2026-05-04 10:02:10+00:00', '2026-05-04T10:02:10.000Z'],
  ['2026-05-04T10:02:10', null],
  ['2026-13-04T10:02:10Z', null],
  [12, null],
])('parses the time %j', (text, instant) => {
  expect(toInstant(text)).toBe(instant);
});

test('leaves a report of inference-perf to its own adapter', () => {
  const stage = readFileSync(new URL('inference-perf/2025-11-stage.json', root), 'utf8');
  expect(read(stage).tool.name).toBe('inference-perf');
});
