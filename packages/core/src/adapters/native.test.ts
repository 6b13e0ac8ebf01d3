import { expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { readArtifact } from './index.ts';

const load = { mode: 'concurrency', level: 8 };
const report = (results: object[], rest: object = {}) => JSON.stringify({ schema: 'inferboard/v1', ...rest, results });
const read = (text: string) => readArtifact(new TextEncoder().encode(text));

function faultsOf(text: string) {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
}

test('a name without a statistic is the mean, and figures get the formula of the registry', () => {
  const [result] = read(report([{ load, metrics: { itl_ms: 5.8, ttft_ms_p99: 300, req_s: 4 } }])).results;
  expect(result?.metrics).toEqual({ itl_ms_mean: 5.8, ttft_ms_p99: 300, req_s: 4 });
  expect(result?.definitions).toEqual({ itl_ms: 'not_stated', ttft_ms: 'send_to_first_token' });
});

test('a system and a scenario as words or objects', () => {
  const system = { model: 'm', engine: 'vllm', parallelism: { tensor: 2 } };
  const [first, second] = read(
    report(
      [
        { load, metrics: { req_s: 1 } },
        { load, metrics: { req_s: 1 }, scenario: { output_tokens: 99 } },
      ],
      { system, scenario: 'chatbot' },
    ),
  ).results;
  expect(first?.system).toMatchObject({
    model: { value: 'm', origin: 'stated' },
    engine: { value: 'vllm' },
    engineVersion: null,
    parallelism: { tensor: 2 },
  });
  expect(first?.scenario.name).toEqual({ value: 'chatbot', origin: 'stated' });
  // What a result says of its own is added to what the document says of all.
  expect(second?.scenario).toMatchObject({ name: { value: 'chatbot' }, outputTokens: { value: 99 } });
});

test('null, NaN and infinity are missing; a zero rate is a measurement', () => {
  const text = report([{ load, metrics: { req_s: 0, ttft_ms_mean: null, tpot_ms_mean: 1, e2e_ms_mean: 2 } }])
    .replace(':1,', ':NaN,')
    .replace(':2}', ':Infinity}');
  expect(read(text).results[0]?.metrics).toEqual({ req_s: 0 });
});

test.each([
  ['-1', '/results/0/metrics/ttft_ms_mean'],
  ['0', '/results/0/metrics/ttft_ms_mean'],
  ['1e309', '/results/0/metrics/ttft_ms_mean'],
  ['"12"', '/results/0/metrics/ttft_ms_mean'],
  ['[1]', '/results/0/metrics/ttft_ms_mean'],
])('a latency of %s is refused at its pointer', (value, pointer) => {
  const faults = faultsOf(report([{ load, metrics: { ttft_ms_mean: 777 } }]).replace('777', value));
  expect(faults[0]).toMatchObject({ code: 'value_invalid', pointer, line: 1 });
});

test('unknown fields and metrics are refused with the nearest known name', () => {
  const faults = faultsOf(report([{ load, metrics: { ttft_ms_men: 5 }, notez: 'x' }], { systm: {} }));
  expect(faults.map(({ pointer, hint }) => [pointer, hint])).toEqual([
    ['/results/0/notez', 'Did you mean "notes"?'],
    ['/systm', 'Did you mean "system"?'],
  ]);
  expect(faultsOf(report([{ load, metrics: { ttft_ms_men: 5 } }]))[0]).toMatchObject({
    hint: 'Did you mean "ttft_ms_mean"?',
  });
});

test('kernel and training results carry metrics of their kind only', () => {
  const kernel = { operation: 'flexattention', case: 'Causal Mask' };
  const results = [
    { kind: 'kernel', scenario: { kernel }, metrics: { forward_ms: 10 } },
    { kind: 'training', metrics: { wall_s: 100, memory_gb: 85, batch_size: 32 } },
  ];
  expect(read(report(results)).results.map(({ kind }) => kind)).toEqual(['kernel', 'training']);
  expect(faultsOf(report([{ kind: 'training', metrics: { ttft_ms_mean: 5 } }]))[0]).toMatchObject({
    code: 'metric_of_other_kind',
  });
});

test('per-request records are named as what is not read yet', () => {
  const faults = faultsOf(report([{ load, metrics: { req_s: 1 }, requests: [] }]));
  expect(faults).toEqual([
    {
      code: 'requests_unsupported',
      line: 1,
      pointer: '/results/0/requests',
      message: 'per-request records are not read yet: send the summary',
    },
  ]);
});

test('another version of the schema is refused by name', () => {
  expect(faultsOf('{"schema": "inferboard/v9", "results": []}')[0]).toMatchObject({
    code: 'schema_unknown',
    pointer: '/schema',
  });
});

test('samples must be as many as n', () => {
  const repeats = { n: 3, samples: { req_s: [1, 2] } };
  expect(faultsOf(report([{ load, metrics: { req_s: 1 }, repeats }]))[0]).toMatchObject({ code: 'samples_miscounted' });
});

test('two reports on one line are both read', () => {
  const text = report([{ load, metrics: { req_s: 1 } }]);
  expect(read(`${text} ${text}`).results).toHaveLength(2);
});

test('an instant is given in UTC', () => {
  const [result] = read(report([{ load, metrics: { req_s: 1 }, measured_at: '2026-01-02T03:04:05+02:00' }])).results;
  expect(result?.measuredAt).toBe('2026-01-02T01:04:05.000Z');
});

test('a truncated report is refused with the line it breaks on', () => {
  const text = JSON.stringify(JSON.parse(report([{ load, metrics: { req_s: 1 } }])), null, 2);
  expect(faultsOf(text.slice(0, -20))[0]).toMatchObject({ code: 'json_broken' });
});
