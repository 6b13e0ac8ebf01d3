import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/tt-inference-server/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
// Published in tenstorrent/tt-inference-server, pull requests 717 and 1708, and a release report of August 2026.
const sweep = fixture('2025-09-decode-rate.md');
const aiperf = fixture('2026-01-aiperf-source.md');
const output = fixture('2026-08-output-rate.md');

function refusal(text: string): DomainError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

test('reads a row as a run, with model and device from the heading', () => {
  const { results, ignored } = read(sweep);
  expect(results).toHaveLength(3);
  const [first] = results;
  expect(first?.metrics).toEqual({
    ttft_ms_mean: 41.5,
    tpot_ms_mean: 15.2,
    e2e_ms_mean: 1971.7,
    user_tok_s: 65.8,
    decode_tok_s: 65.8,
    prefill_tok_s: 3083.5,
    req_s: 0.507,
  });
  expect(first?.definitions).toEqual({
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    e2e_ms: 'request',
    user_tok_s: 'client',
    decode_tok_s: 'client',
    prefill_tok_s: 'client',
  });
  expect(first?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(first?.scenario).toMatchObject({ inputTokens: { value: 128 }, outputTokens: { value: 128 } });
  expect(first?.system).toMatchObject({ model: { value: 'Llama-3.2-1B' }, gpu: { value: 'Tenstorrent n150' } });
  expect(ignored).toEqual([]);
});

// The prompts of 32 users divided by a mean time to first token is not a prefill speed.
test('omits the prefill speed for several users', () => {
  const [alone, many] = read(aiperf).results;
  expect(alone?.metrics.prefill_tok_s).toBe(1380.5);
  expect(many?.metrics).toMatchObject({ decode_tok_s: 715.4, user_tok_s: 22.35 });
  expect(many?.metrics.prefill_tok_s).toBeUndefined();
  expect(many?.metrics.total_tok_s).toBeUndefined();
  expect(many?.load).toEqual({ mode: 'concurrency', level: 32 });
  expect(many?.extra).toMatchObject({ source: 'aiperf', num_requests: 256 });
});

// 256 responses of 128 tokens at 1.4 responses per second are 179.2 tokens per second; 32 users at 144.6 ms would be 221.3.
test('reads "Tput Decode" as the output throughput of the run since 2026', () => {
  const results = read(output).results;
  expect(results[1]?.metrics).toMatchObject({ output_tok_s: 179.2, ttft_ms_p99: 4774.2, req_s: 1.4 });
  expect(results[1]?.metrics.decode_tok_s).toBeUndefined();
  expect(results[1]?.system.model?.value).toBe('ornith-ai/Ornith-1.0-35B');
});

test('reads "Tput Output" as the output throughput since August 2026', () => {
  const [, renamed] = read(output.replace('Tput Decode (TPS)', 'Tput Output (TPS)')).results;
  expect(renamed?.metrics.output_tok_s).toBe(179.2);
});

test('reads a concurrency equal to the number of requests as a burst', () => {
  expect(read(output).results.at(-1)?.load).toEqual({ mode: 'burst', level: 8 });
});

test('rejects a truncated cell with its line', () => {
  expect(refusal(fixture('2026-08-cut-cell.refused.md')).faults[0]).toMatchObject({
    code: 'cell_unreadable',
    line: 3,
  });
});

test('does not claim a table of targets', () => {
  const targets = `| ISL | OSL | Concurrency | TTFT (ms) | Tput User (TPS) | Tput Decode (TPS) | Functional TTFT Check |
|-----|-----|-------------|-----------|-----------------|-------------------|-----------------------|
| 128 | 128 |           1 |      41.5 |           65.80 |              65.8 | PASS                  |
`;
  expect(read(`${sweep}\n${targets}`).results).toHaveLength(3);
  expect(refusal(targets).code).toBe('tool_unrecognised');
});

test('lists tables of prompts with images as ignored', () => {
  const images = sweep.replaceAll('|  ISL  |', '| Image Height |  ISL  |').replaceAll(/^\|( {2,}|-)/gm, '| 512 |$1');
  expect(read(`${sweep}\n\n${images}`).ignored).toContain('table of prompts with images on line 21');
});

// https://github.com/tenstorrent/tt-inference-server/issues/1707 and pull request 1708
test('reads mean, median and p99 of each latency from a detailed table', () => {
  const { results, ignored } = read(fixture('2026-01-percentiles-of-sweep.md'));
  expect(results).toHaveLength(2);
  const [, second] = results;
  expect(second?.metrics).toEqual({
    ttft_ms_mean: 3148.9,
    ttft_ms_p50: 2133.8,
    ttft_ms_p99: 11531.8,
    tpot_ms_mean: 35.7,
    tpot_ms_p50: 34.8,
    tpot_ms_p99: 48.2,
    e2e_ms_mean: 8530.8,
    e2e_ms_p50: 7398.6,
    e2e_ms_p99: 16906.5,
    output_tok_s: 567.28,
    req_s: 3.7336,
  });
  expect(second?.load).toEqual({ mode: 'concurrency', level: 32 });
  expect(second?.system).toMatchObject({ model: null, gpu: null });
  expect(ignored).toEqual([]);
  expect(read(fixture('2026-01-percentiles.md')).results).toHaveLength(4);
});
