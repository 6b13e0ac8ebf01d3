import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const log = readFileSync(new URL('../../../fixtures/mini-sglang-client/2026-01-trace.txt', import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

// Published in sgl-project/mini-sglang, pull request 59.
test('reads the latencies in ms, and the throughput without the time stamps of sending', () => {
  const [result] = read(log);
  expect(result?.metrics).toEqual({
    requests_ok: 1000,
    duration_s: 153.08,
    req_s: 6.5324,
    output_tok_s: (359491 - 1000) / 153.08,
    ttft_ms_mean: 126.89,
    ttft_ms_p50: 109.7,
    ttft_ms_p90: 158.57,
    ttft_ms_p99: 659.98,
    ttft_ms_max: 1035,
    itl_ms_mean: 37.06,
    itl_ms_p50: 28.9,
    itl_ms_p90: 65.07,
    itl_ms_p99: 157.24,
    itl_ms_max: 807.71,
    e2e_ms_mean: 13370,
    e2e_ms_p50: 11210,
    e2e_ms_p90: 26390,
    e2e_ms_p99: 53110,
    e2e_ms_max: 99360,
  });
  expect(result?.definitions).toMatchObject({ itl_ms: 'per_chunk' });
  expect(result?.system.model).toEqual({ value: 'qwen3_30b_moe', origin: 'context' });
});

test('has a load only if all requests were in flight at once', () => {
  expect(read(log)[0]).toMatchObject({ load: null, notes: [{ code: 'tokens_are_chunks' }, { code: 'load_unknown' }] });
  const [burst] = read(log.replace('requests: 157', 'requests: 1000'));
  expect(burst?.load).toEqual({ mode: 'burst', level: 1000 });
});

test('reads the lines without their prefix, and rejects a truncated log', () => {
  const bare = log.replaceAll(/^\[.*\] INFO {5}/gm, '');
  expect(read(bare)[0]?.metrics).toEqual(read(log)[0]?.metrics);
  expect(() => read(log.slice(0, log.indexOf('Throughput')))).toThrow();
});

test('keeps the model for the later rates of one start', () => {
  const later = log.slice(log.indexOf('\n') + 1).replace('6.5324 req', '5.5324 req');
  expect(read(`${log}${later}`).map(({ system }) => system.model?.value)).toEqual(['qwen3_30b_moe', 'qwen3_30b_moe']);
});
