import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

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

test('reads a name without a statistic as the mean, and adds the formula of the registry', () => {
  const [result] = read(report([{ load, metrics: { itl_ms: 5.8, ttft_ms_p99: 300, req_s: 4 } }])).results;
  expect(result?.metrics).toEqual({ itl_ms_mean: 5.8, ttft_ms_p99: 300, req_s: 4 });
  expect(result?.definitions).toEqual({ itl_ms: 'not_stated', ttft_ms: 'send_to_first_token' });
});

test.each([
  ['mlperf loadgen', 'from_run_start'],
  // Only LoadGen's Offline scenario is known to time each request.
  ['example bench', 'whole_batch'],
])('reads the batch latency of an offline burst of %s as %s', (name, expected) => {
  const offline = { mode: 'burst', level: 145_200, regime: 'offline' };
  const result = { load: offline, definitions: { e2e_ms: 'whole_batch' }, metrics: { e2e_ms: 318_500, req_s: 227.9 } };
  const [found] = read(report([result], { tool: { name } })).results;
  expect(found?.definitions).toEqual({ e2e_ms: expected });
});

test('accepts a system and a scenario as text or objects', () => {
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
  // Facts of a result are merged with the facts of the document.
  expect(second?.scenario).toMatchObject({ name: { value: 'chatbot' }, outputTokens: { value: 99 } });
});

/** As `nvidia-smi` and `rocm-smi` print them, and as the load generator joins them. */
const gpuNames = [
  'NVIDIA H100 80GB HBM3',
  'NVIDIA H100 80GB HBM3 + NVIDIA L4',
  'NVIDIA A100-SXM4-80GB MIG 3g.40gb',
  'NVIDIA GeForce RTX 4090',
  'NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition',
  'Tesla V100-SXM2-32GB',
  'AMD Instinct MI300X OAM',
  'Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]',
  'Intel(R) Data Center GPU Max 1550',
];

test.each(gpuNames)('reads the samples of a point on %s', (gpu_name) => {
  const samples = [{ unixMs: 1_750_000_000_100.5, values: { power_w: 400, sm_clock_mhz: 1980, running: 2 } }];
  const observed = { started_unix_ms: 1_750_000_000_000, samples };
  const result = { load, metrics: { req_s: 1 }, observed, detected: { gpu_name, gpu_driver: '580.95.05' } };
  const [found] = read(report([result], { system: { model: 'm', gpu: gpu_name } })).results;
  expect(found?.observed).toEqual({ startedUnixMs: 1_750_000_000_000, samples });
  expect(found?.extra).toMatchObject({ detected_gpu_name: gpu_name, observed_samples: 1 });
});

test('rejects a sample without a date', () => {
  const observed = { started_unix_ms: 1, samples: [{ unixMs: 1e300, values: {} }] };
  expect(faultsOf(report([{ load, metrics: { req_s: 1 }, observed }]))).toMatchObject([
    { pointer: '/results/0/observed/samples/0/unixMs' },
  ]);
});

test('treats null, NaN and infinity as missing, and a zero rate as a value', () => {
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
])('rejects a latency of %s with its pointer', (value, pointer) => {
  const faults = faultsOf(report([{ load, metrics: { ttft_ms_mean: 777 } }]).replace('777', value));
  expect(faults[0]).toMatchObject({ code: 'value_invalid', pointer, line: 1 });
});

test('rejects unknown fields and metrics with the closest known name', () => {
  const faults = faultsOf(report([{ load, metrics: { ttft_ms_men: 5 }, notez: 'x' }], { systm: {} }));
  expect(faults.map(({ pointer, hint }) => [pointer, hint])).toEqual([
    ['/systm', 'Did you mean "system"?'],
    ['/results/0/notez', 'Did you mean "notes"?'],
    ['/results/0/metrics/ttft_ms_men', 'Did you mean "ttft_ms_mean"?'],
  ]);
  expect(faultsOf(report([{ load, metrics: { ttft_ms_men: 5 } }]))[0]).toMatchObject({
    hint: 'Did you mean "ttft_ms_mean"?',
  });
});

test('reports errors of schema, metrics, ranges and requests together, in plain English', () => {
  const result = {
    load: { mode: 'x', level: 8 },
    metrics: { output_tok_s: 'fast', nope: 1 },
    ranges: { ttft_ms_mean: [5] },
    requests: [{ qq: 1 }],
  };
  expect(faultsOf(report([result], { tool: 7 })).map(({ message, hint }) => [message, hint])).toEqual([
    ['/tool: must be an object', undefined],
    ['/results/0/load/mode: must be one of "concurrency", "burst", "rate", "batch", "unspecified"', undefined],
    ['output_tok_s must be a number, found "fast".', 'Use null for values that were not measured.'],
    ['Unknown metric "nope".', 'GET /v1/catalogue/metrics lists the metrics.'],
    [expect.stringMatching(/^The range of ttft_ms_mean must be/), 'Put a single value in metrics.'],
    ['Unknown field "qq".', expect.stringMatching(/^Known names: sent_s, /)],
  ]);
  const [empty] = faultsOf(report([]));
  expect(empty?.message).toBe('/results: must have at least 1 item');
  const metric = faultsOf(report([{ load, metrics: { ttft_ms_men: 5 } }], { tool: 7 }));
  expect(metric.map(({ pointer }) => pointer)).toEqual(['/tool', '/results/0/metrics/ttft_ms_men']);
});

test('names the place of a field that belongs elsewhere, and the known names if none is similar', () => {
  const faults = faultsOf(report([{ load, metrics: {}, quantization: 'fp8' }], { measured_at: '2026-01-01' }));
  const hints = new Map(faults.map(({ pointer, hint }) => [pointer, hint]));
  expect(hints.get('/measured_at')).toBe('Write it in results.');
  expect(hints.get('/results/0/quantization')).toBe('Write it in system.');
  expect(faultsOf(report([{ load, metrics: { output_tok_s: 5 } }], { colour: 'blue' }))[0]?.hint).toMatch(
    /^Known names: schema, .*results/,
  );
});

test('accepts only metrics of their kind for kernel and training results', () => {
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

test('rejects an unknown version of the schema', () => {
  expect(faultsOf('{"schema": "inferboard/v9", "results": []}')[0]).toMatchObject({
    code: 'schema_unknown',
    pointer: '/schema',
  });
});

test('rejects a number of samples that differs from n', () => {
  const repeats = { n: 3, samples: { req_s: [1, 2] } };
  expect(faultsOf(report([{ load, metrics: { req_s: 1 }, repeats }]))[0]).toMatchObject({ code: 'samples_miscounted' });
});

test('reads two reports on one line', () => {
  const text = report([{ load, metrics: { req_s: 1 } }]);
  expect(read(`${text} ${text}`).results).toHaveLength(2);
});

test('converts the time to UTC', () => {
  const [result] = read(report([{ load, metrics: { req_s: 1 }, measured_at: '2026-01-02T03:04:05+02:00' }])).results;
  expect(result?.measuredAt).toBe('2026-01-02T01:04:05.000Z');
});

test('rejects a truncated report', () => {
  const text = JSON.stringify(JSON.parse(report([{ load, metrics: { req_s: 1 } }])), null, 2);
  expect(faultsOf(text.slice(0, -20))[0]).toMatchObject({ code: 'json_broken' });
});

test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2100-01-01T00:00:00Z', 'yesterday'])(
  'rejects the time %s',
  (measured_at) => {
    expect(faultsOf(report([{ load, metrics: { req_s: 1 }, measured_at }]))).toMatchObject([
      { code: 'value_invalid', pointer: '/results/0/measured_at' },
    ]);
  },
);

test('reads the number of nodes as a feature', () => {
  const features = (system: object) =>
    read(report([{ load, metrics: { req_s: 1 } }], { system })).results[0]?.system.features;
  expect(features({ gpu_count: 16, nodes: 2, features: { drafts: true } })).toEqual({ drafts: true, nodes: 2 });
  expect(features({ gpu_count: 8, nodes: 1 })).toEqual({});
});

// A name that is displayed like another one would rank as that one.
test.each(['Llama\u202e 8B', 'Llama\u001b[31m', 'Llama\n8B', ' ', 'x'.repeat(201)])(
  'rejects the name %j in every field for names',
  (name) => {
    const result = { load, metrics: { req_s: 1 } };
    for (const system of ['model', 'gpu', 'quantization', 'engine'])
      expect(faultsOf(report([result], { system: { [system]: name } }))).toHaveLength(1);
    for (const scenario of [name, { dataset: name }, { kernel: { operation: name, case: 'x' } }])
      expect(faultsOf(report([result], { scenario }))).toHaveLength(1);
    expect(faultsOf(report([result], { tool: name }))).toHaveLength(1);
    expect(faultsOf(report([result], { system: { features: { mode: name } } }))).toHaveLength(1);
  },
);

test('lists notes on the report once, and notes on a result with the result', () => {
  const results = [
    { load, metrics: { req_s: 1 } },
    { load, metrics: { req_s: 2 }, notes: 'warm' },
  ];
  const reading = read(
    `${report([results[0] ?? {}])}\n${report(results, { notes: 'two\nlines', source_url: 'https://example.org/r' })}`,
  );
  expect(reading).toMatchObject({ notes: 'two\nlines', sourceUrl: 'https://example.org/r' });
  expect(reading.results.map(({ extra }) => extra)).toEqual([{}, {}, { notes: 'warm' }]);
});

test.each([
  [64, 1, []],
  [65, 1, ['/system/features']],
  [30, 190, ['/system/features']],
])('checks the size of features: %d of %d characters', (count, length, pointers) => {
  const features = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'x'.repeat(length)]));
  const faults = faultsOf(report([{ load, metrics: { req_s: 1 } }], { system: { features } }));
  expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
});

describe('repeats', () => {
  const faultsOfRepeats = (repeats: object, metrics: object = { req_s: 10 }) =>
    faultsOf(report([{ load, metrics, repeats }])).map(({ code, pointer }) => [code, pointer]);

  // Samples replace the value in the statistics of a point, so inconsistent samples could forge its rank.
  test('require samples whose mean is the value', () => {
    const at = '/results/0/repeats/samples/req_s';
    expect(faultsOfRepeats({ samples: { req_s: [9.9, 10.1] } })).toEqual([]);
    expect(faultsOfRepeats({ samples: { req_s: [10.2, 10.6] } })).toEqual([]);
    expect(faultsOfRepeats({ samples: { req_s: [99, 101] } })).toEqual([['samples_contradict', at]]);
    expect(faultsOfRepeats({ samples: { req_s: [1e308, 1e308] } })).toEqual([['samples_contradict', at]]);
  });

  test('require a value for samples and deviations', () => {
    const repeats = { samples: { ttft_ms_mean: [1, 2] }, sd: { output_tok_s: 1 } };
    expect(faultsOfRepeats(repeats)).toEqual([
      ['value_missing', '/results/0/repeats/sd/output_tok_s'],
      ['value_missing', '/results/0/repeats/samples/ttft_ms_mean'],
    ]);
    expect(faultsOfRepeats({ sd: { req_s: 1 } }, { req_s: null, ttft_ms_mean: 1 })).toHaveLength(1);
  });

  test('require as many samples as n, and equally many for each metric', () => {
    const samples = { req_s: [10, 10], itl_ms: [5, 5, 5] };
    const metrics = { req_s: 10, itl_ms_mean: 5 };
    const at = '/results/0/repeats/samples/itl_ms';
    expect(faultsOfRepeats({ samples }, metrics)).toEqual([['samples_miscounted', at]]);
    expect(faultsOfRepeats({ samples, n: 2 }, metrics)).toEqual([['samples_miscounted', at]]);
    expect(faultsOfRepeats({ samples: { req_s: [] } })).toHaveLength(1);
    expect(faultsOfRepeats({ samples: { req_s: [10, -10, 'x'] } })).toEqual([
      ['value_invalid', '/results/0/repeats/samples/req_s/1'],
    ]);
  });
});

describe('a range instead of a value', () => {
  const training = (result: object) =>
    report([{ kind: 'training', metrics: { batch_size: 32 }, ...result }], { system: { model: 'm', gpu: 'g' } });

  test('is stored as a range', () => {
    const [result] = read(training({ ranges: { wall_s: [10800, 12000], memory_gb: [85, 88] } })).results;
    expect(result).toMatchObject({
      metrics: { batch_size: 32 },
      ranges: { wall_s: [10800, 12000], memory_gb: [85, 88] },
    });
    expect(result?.metrics).not.toHaveProperty('wall_s');
  });

  test.each<[string, object, string]>([
    ['in reverse order', { wall_s: [2, 1] }, 'value_invalid'],
    ['of one number', { wall_s: [2] }, 'value_invalid'],
    ['of equal numbers', { wall_s: [2, 2] }, 'value_invalid'],
    ['of strings', { wall_s: ['1', '2'] }, 'value_invalid'],
    ['with a negative bound', { wall_s: [-1, 2] }, 'value_invalid'],
    ['of an unknown metric', { wal_s: [1, 2] }, 'metric_unknown'],
    ['of a metric of another kind', { ttft_ms_mean: [1, 2] }, 'metric_of_other_kind'],
    ['next to a value', { batch_size: [16, 32] }, 'value_repeated'],
  ])('%s is rejected', (_, ranges, code) => {
    expect(faultsOf(training({ ranges }))).toMatchObject([{ code }]);
  });
});

test('merges the source of a result with that of the document', () => {
  const general = { publisher: 'MLCommons', title: 'MLPerf Inference v5.1, Closed' };
  const text = report(
    [
      { load, metrics: { req_s: 1 }, source: { entry: '5.1-0001, AMD' } },
      { load, metrics: { req_s: 2 }, source: { publisher: 'Somebody' } },
    ],
    { source: general },
  );
  const nothing = { url: null, licence: null, retrieved_at: null };
  expect(read(text).results.map(({ source }) => source)).toEqual([
    { ...general, ...nothing, entry: '5.1-0001, AMD' },
    { ...general, ...nothing, publisher: 'Somebody', entry: null },
  ]);
  expect(read(report([{ load, metrics: { req_s: 1 } }])).results[0]).not.toHaveProperty('source');
});

test('rejects an invalid source with its location', () => {
  const text = report([{ load, metrics: { req_s: 1 }, source: { url: 'javascript:alert(1)', editor: 'me' } }]);
  expect(faultsOf(text).map(({ pointer }) => pointer)).toEqual(
    expect.arrayContaining([expect.stringContaining('/results/0/source')]),
  );
});
