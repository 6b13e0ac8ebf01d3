import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { makeRequest } from '../../testing/requests.ts';
import { readArtifact } from '../index.ts';

const load = { mode: 'concurrency', level: 8 };
const report = (...results: object[]) => JSON.stringify({ schema: 'inferboard/v1', results });
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

function faultsOf(text: string): [string, string | undefined][] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults.map(({ code, pointer }) => [code, pointer]);
    throw error;
  }
  return [];
}

const requestsOf = (requests: unknown) => read(report({ load, metrics: { req_s: 1 }, requests }))[0]?.requests;

describe('requests', () => {
  test('accepts the conversation of a request', () => {
    const part = { conversation: 1, turn: 2, workload: 'chatbot', model: 'adapter-a' };
    expect(requestsOf([{ ...part, output_tokens: 3 }, { turn: null }])).toEqual([
      makeRequest({ outputTokens: 3 }),
      makeRequest({}),
    ]);
    const wrong = [{ turn: 'two' }, { conversation: -1 }, { workload: 5 }, { model: 'x'.repeat(201) }];
    expect(faultsOf(report({ load, metrics: { req_s: 1 }, requests: wrong }))).toEqual([
      ['value_invalid', '/results/0/requests/0/turn'],
      ['value_invalid', '/results/0/requests/1/conversation'],
      ['value_invalid', '/results/0/requests/2/workload'],
      ['value_invalid', '/results/0/requests/3/model'],
    ]);
  });

  test('states that requests are turns of conversations', () => {
    const of = (...turns: (number | null)[]) =>
      read(report({ load, metrics: { req_s: 1 }, requests: turns.map((turn) => ({ turn, output_tokens: 3 })) }))[0];
    expect(of(1, 2)?.extra).toMatchObject({ multi_turn: true });
    expect(of(1, 2)?.notes).toMatchObject([{ code: 'multi_turn', severity: 'info' }]);
    expect(of(1, null)?.extra).not.toHaveProperty('multi_turn');
    expect(of(1, null)?.notes).toEqual([]);
  });

  test('accepts a description of the requests', () => {
    const traffic = {
      seed: 7,
      bodies_sha256: 'a'.repeat(64),
      files: [{ name: 'a.jsonl', sha256: 'b'.repeat(64), records: 3 }],
    };
    const result = (given: object) => report({ load, metrics: { req_s: 1 }, generator: { traffic: given } });
    expect(read(result(traffic))[0]?.extra).toMatchObject({ traffic_seed: 7, traffic_bodies_sha256: 'a'.repeat(64) });
    expect(faultsOf(result({ ...traffic, bodies_sha256: 'x' }))).toEqual([
      ['value_invalid', '/results/0/generator/traffic/bodies_sha256'],
    ]);
  });

  test('accepts the source of the prompts', () => {
    const prompts = { seed: 7, salt: 'b3e2', bodies_sha256: 'a'.repeat(64) };
    const result = (given: object) => report({ load, metrics: { req_s: 1 }, generator: { prompts: given } });
    expect(read(result(prompts))[0]?.extra).toMatchObject({
      ...{ prompts_seed: 7, prompts_salt: 'b3e2', prompts_bodies_sha256: 'a'.repeat(64) },
    });
    expect(faultsOf(result({ ...prompts, salt: null }))).toEqual([
      ['value_invalid', '/results/0/generator/prompts/salt'],
    ]);
  });

  test('accepts facts detected on the server and its machine', () => {
    const detected = {
      ...{ model_revision: '0123abc', weights_sha256: 'a'.repeat(64), container_image: 'sha-1' },
      ...{ gpu_name: 'NVIDIA H100 80GB HBM3', gpu_count: 2, gpu_driver: '580.95.05' },
    };
    const result = (given: object) => report({ load, metrics: { req_s: 1 }, detected: given });
    expect(read(result(detected))[0]?.extra).toEqual(
      Object.fromEntries(Object.entries(detected).map(([fact, value]) => [`detected_${fact}`, value])),
    );
    expect(read(result({ gpu_driver: null }))[0]?.extra).toEqual({});
    expect(faultsOf(result({ gpu_count: 0, weights_sha256: 'x' }))).toEqual([
      ['value_invalid', '/results/0/detected/weights_sha256'],
      ['value_invalid', '/results/0/detected/gpu_count'],
    ]);
  });

  test('reads every field, and null for a missing one', () => {
    const whole = {
      sent_s: -0.5,
      input_tokens: 10,
      cached_tokens: 0,
      output_tokens: 3,
      max_tokens: 4,
      ttft_ms: 100.5,
      e2e_ms: 140.5,
      itl_ms: [20, 0],
      error: null,
    };
    expect(requestsOf([whole, {}])).toEqual([
      makeRequest({
        sentS: -0.5,
        inputTokens: 10,
        cachedTokens: 0,
        outputTokens: 3,
        maxTokens: 4,
        ttftMs: 100.5,
        e2eMs: 140.5,
        gapsMs: [20, 0],
      }),
      makeRequest(),
    ]);
  });

  test('treats null, NaN and infinity as missing, and an empty error as none', () => {
    const text = report({ load, requests: [{ ttft_ms: 1, e2e_ms: 2, itl_ms: null, error: '' }] })
      .replace(':1,', ':NaN,')
      .replace(':2,', ':Infinity,');
    expect(read(text)[0]?.requests).toEqual([makeRequest()]);
  });

  test('drops zero latencies of a failed request, and cleans and shortens its error', () => {
    const error = `\u001b[31mtimeout\u202e${'x'.repeat(5000)}`;
    const [request] = requestsOf([{ ttft_ms: 0, e2e_ms: 0, error }]) ?? [];
    expect(request).toMatchObject({ ttftMs: null, e2eMs: null });
    expect(request?.error).toMatch(/^\[31mtimeoutx+$/);
    expect(request?.error).toHaveLength(200);
    expect(faultsOf(report({ load, requests: [{ ttft_ms: 0 }] }))).toEqual([
      ['value_invalid', '/results/0/requests/0/ttft_ms'],
    ]);
  });

  test('replaces metrics if the list is not empty', () => {
    expect(read(report({ load, requests: [{ ttft_ms: 5 }] }))[0]?.metrics).toEqual({});
    expect(read(report({ load, metrics: {}, requests: [{ ttft_ms: 5 }] }))).toHaveLength(1);
    expect(faultsOf(report({ load, requests: [] }))).toEqual([['metrics_empty', '/results/0/metrics']]);
    expect(requestsOf([])).toBeNull();
    expect(requestsOf(null)).toBeNull();
  });

  test.each<[string, unknown]>([
    ['output_tokens', 1.5],
    // A speed computed from it would be NaN or infinite.
    ['e2e_ms', 5e-324],
    ['output_tokens', -1],
    ['output_tokens', 1e9 + 1],
    ['ttft_ms', '5'],
    ['ttft_ms', 1e9 + 1],
    ['e2e_ms', 0],
    ['sent_s', 1e14],
    ['error', true],
    ['itl_ms', 5],
  ])('rejects %s: %j with its pointer', (field, value) => {
    expect(faultsOf(report({ load, requests: [{}, { [field]: value }] }))).toEqual([
      ['value_invalid', `/results/0/requests/1/${field}`],
    ]);
  });

  test('rejects an invalid gap with its index', () => {
    expect(faultsOf(report({ load, requests: [{ itl_ms: [1, 2, -1, null] }] }))).toEqual([
      ['value_invalid', '/results/0/requests/0/itl_ms/2'],
    ]);
  });

  test.each(['\\u0000', '\\ud800'])('rejects %s in an error', (text) => {
    expect(faultsOf(report({ load, requests: [{ error: 'X' }] }).replace('X', text))[0]?.[0]).toBe('json_broken');
  });

  test('rejects requests next to repeats, and of a training result', () => {
    const requests = [{ ttft_ms: 5 }];
    expect(faultsOf(report({ load, requests, repeats: { n: 3 } }))).toEqual([
      ['repeats_beside_requests', '/results/0/repeats'],
    ]);
    expect(faultsOf(report({ kind: 'training', requests }))).toEqual([['value_invalid', '/results/0/requests']]);
  });
});

// Each fits the size limit of a body, but would need many times the available memory.
test.each<[string, (count: number) => string, number]>([
  ['requests', (count) => report({ load, requests: Array.from({ length: count }, () => ({})) }), 200_000],
  ['gaps', (count) => report({ load, requests: [{ itl_ms: new Array(count).fill(1) }, {}] }), 2_000_000],
  [
    'requests of two lines',
    (count) =>
      `${report({ load, requests: Array.from({ length: count - 1 }, () => ({})) })}\n${report({ load, requests: [{}] })}`,
    200_000,
  ],
])('rejects more %s than the limit', (_, make, most) => {
  expect(faultsOf(make(most))).toEqual([]);
  expect(faultsOf(make(most + 1))).toEqual([['requests_too_many', '/results/0/requests']]);
});

describe('limits', () => {
  const limitsOf = (slo: unknown) => read(report({ load, metrics: { goodput_req_s: 1 }, slo }))[0]?.limits;

  test('accepts numbers by name, or the id of a preset', () => {
    expect(limitsOf({ ttft_ms: 500, tpot_ms: 30 })).toEqual({ ttftMs: 500, itlMs: null, tpotMs: 30, e2eMs: null });
    expect(limitsOf({ itl_ms: 20, e2e_ms: 9000 })).toEqual({ ttftMs: null, itlMs: 20, tpotMs: null, e2eMs: 9000 });
    expect(limitsOf('mlperf-llama3.1-8b-interactive')).toEqual({ ttftMs: 500, itlMs: null, tpotMs: 30, e2eMs: null });
    expect(limitsOf({ ttft_ms: null })).toBeNull();
    expect(limitsOf(null)).toBeNull();
  });

  test.each<[unknown, string, string]>([
    [{ ttft: 5 }, 'field_unknown', '/results/0/slo/ttft'],
    [{ ttft_ms: 0 }, 'value_invalid', '/results/0/slo/ttft_ms'],
    [{ ttft_ms: '5' }, 'value_invalid', '/results/0/slo/ttft_ms'],
    [5, 'value_invalid', '/results/0/slo'],
    ['mlperf', 'slo_unknown', '/results/0/slo'],
  ])('rejects %j', (slo, code, pointer) => {
    expect(faultsOf(report({ load, metrics: { req_s: 1 }, slo }))).toEqual([[code, pointer]]);
  });
});
