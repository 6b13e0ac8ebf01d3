import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
// Published in turboderp-org/exllamav3, issues 326 and 381, where the model folder and its bits were described in prose.
const offload = fixture('exllamav3-perf/1.4.9-experts-on-cpu.txt');
const arena = fixture('exllamav3-perf/1.5.0-arena.md');

test('reads prefill by prompt length and decode by context', () => {
  const { results } = read(offload);
  expect(results).toHaveLength(16);
  expect(results[7]).toMatchObject({
    metrics: { prefill_tok_s: 981.12 },
    definitions: { prefill_tok_s: 'in_process' },
    scenario: { name: null, inputTokens: { value: 32768 }, outputTokens: { value: 0 }, depth: null },
    load: { mode: 'batch', level: 1 },
  });
  expect(results[15]).toMatchObject({
    metrics: { decode_tok_s: 18.99, user_tok_s: 18.99 },
    scenario: { inputTokens: { value: 0 }, outputTokens: { value: 100 }, depth: 16384 },
  });
  expect(results[8]?.scenario.depth).toBeNull();
});

test('applies the command and the lines before both phases to both', () => {
  for (const { system } of read(offload).results)
    expect(system).toMatchObject({
      model: { value: 'Qwen3.8-Flash-Next-exl3', origin: 'context' },
      quantization: { value: 'exl3 4.05bpw', origin: 'inferred' },
      engine: { value: 'exllamav3' },
      features: { chunk_size: 4096, moe_cpu_offload: 24, offload: true },
    });
});

// A quantized cache is slower at long contexts, so it is another system.
test('reads the bits of a quantized cache', () => {
  const [result] = read(offload.replace('perf.py ', 'perf.py -cq 8,4 ')).results;
  expect(result?.system.features).toMatchObject({ cache_quant: '8,4' });
});

test('reads a pasted run without its command', () => {
  const { results } = read(arena);
  expect(results).toHaveLength(17);
  expect(results[16]?.metrics).toEqual({ decode_tok_s: 16.29, user_tok_s: 16.29 });
  expect(results[0]?.system).toMatchObject({ model: null, quantization: null });
});

test('reads rows without a width, and of several widths only one token per step', () => {
  expect(read(arena.replaceAll('S=1 ', '')).results[16]?.metrics.decode_tok_s).toBe(16.29);
  const wide = arena.replace('16.29 tokens/s', '16.29 tokens/s,   S=4      10.11 tokens/s');
  expect(read(wide).results[16]?.metrics.decode_tok_s).toBe(16.29);
  expect(read(wide).ignored).toEqual(['speeds of several tokens a step']);
});

test('skips a truncated row', () => {
  const cut = offload.slice(0, offload.indexOf('18.99 tokens/s\nContext   8192') + 8);
  expect(read(cut).results).toHaveLength(13);
});

test('rejects a truncated figure with its line', () => {
  expect(() => read(fixture('exllamav3-perf/1.5.0-cut-figure.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_unreadable', line: 3 })] }),
  );
});

test.each(['Length     256:     121.25 tokens/s\n', 'Context 5: done\nLength 3: x tokens/s\n'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  },
);

// Published in turboderp-org/exllamav3, issue 75.
const metrics = fixture('tabbyapi-metrics/2025-09-long-context.txt');

test('reads a line of TabbyAPI as a request', () => {
  const { results, tool } = read(metrics);
  expect(tool.name).toBe('TabbyAPI');
  expect(results).toHaveLength(4);
  expect(results[0]?.metrics).toEqual({
    prefill_tok_s: 433.73,
    user_tok_s: 8.31,
    e2e_ms_mean: 504750,
    requests_ok: 1,
    input_tokens: 118010,
    output_tokens: 1934,
  });
  expect(results[0]?.definitions).toEqual({
    prefill_tok_s: 'in_process',
    user_tok_s: 'in_process',
    e2e_ms: 'request',
  });
  expect(results.map(({ repetition }) => repetition)).toEqual([1, 2, 3, 4]);
  expect(results[0]?.load).toBeNull();
});

test('omits the prefill speed of a cached prompt', () => {
  const cached = metrics.replace('0 cached tokens and 118010 new tokens', '118010 cached tokens and 0 new tokens');
  expect(read(cached).results[0]?.metrics).not.toHaveProperty('prefill_tok_s');
});

test('skips these lines next to a report, and skips a truncated line', () => {
  expect(read(`${metrics}\n${arena}`).results).toHaveLength(17);
  expect(read(metrics.slice(0, metrics.lastIndexOf('Context:') + 12)).results).toHaveLength(3);
});

// Published in danny-avila/LibreChat, issue 4033.
test('reads an entry that the console wrapped as one request', () => {
  const { results } = read(fixture('tabbyapi-metrics/2024-09-wrapped.txt'));
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({ lines: { from: 3, to: 5 }, system: { features: {} } });
  expect(results[0]?.metrics).toEqual({
    prefill_tok_s: 38.03,
    user_tok_s: 14.89,
    e2e_ms_mean: 2880,
    requests_ok: 1,
    input_tokens: 10,
    output_tokens: 39,
  });
  expect(results[0]?.extra).toEqual({ queue_s: 0, cached_tokens: 0, prompt_tokens_evaluated: 10 });
});

// Published in theroyallab/tabbyAPI, pull request 469.
const drafted = fixture('tabbyapi-metrics/2026-09-draft.txt');

test('reads an entry of a run with a draft model up to its tokens', () => {
  const { results } = read(drafted);
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({ lines: { from: 4, to: 5 }, system: { features: { speculative_decoding: true } } });
  expect(results[0]?.metrics).toEqual({
    prefill_tok_s: 727.64,
    user_tok_s: 28.2,
    e2e_ms_mean: 16440,
    requests_ok: 1,
    input_tokens: 15766,
    output_tokens: 1,
  });
  expect(results[0]?.extra).toEqual({
    queue_s: 0.02,
    cached_tokens: 3840,
    prompt_tokens_evaluated: 11926,
    draft_tokens: 4,
    accepted_tokens: 0,
  });
});

test('reads an entry wrapped between any two words, but not one interrupted by another entry', () => {
  const [, , , first = '', second = ''] = drafted.split('\n');
  const words = `${first} ${second}`.split(' ').filter((word) => word !== '');
  const [expected] = read(drafted).results;
  for (let at = 8; at < words.length; at++) {
    const wrapped = `${words.slice(0, at).join(' ')} \n${words.slice(at).join(' ')}\n`;
    expect(read(wrapped).results[0]?.metrics, wrapped).toEqual(expected?.metrics);
  }
  const interrupted = `${metrics}\n${first}\n2026-09-10 15:01:39.976 INFO:     Unloading\n${second}\n`;
  expect(read(interrupted).results).toHaveLength(4);
});

// Published in turboderp-org/exllamav2, issue 469, which has a second request with "Process: 308821.16 T/s".
test('omits the prefill speed of the first layout, which includes cached tokens', () => {
  const { results, ignored } = read(fixture('tabbyapi-metrics/2024-05-first-layout.txt'));
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual({
    user_tok_s: 8.79,
    e2e_ms_mean: 21390,
    requests_ok: 1,
    input_tokens: 1494,
    output_tokens: 167,
  });
  expect(results[0]?.extra).toEqual({ queue_s: 0 });
  expect(ignored).toEqual(['Process']);
});

// turboderp keeps each model's quantizations in folders below it.
test('reads the model above a folder that names only the quantization', () => {
  const text =
    'python eval/perf.py -m /mnt/models/qwen3-32b/exl3/4.0bpw/\n\nGeneration\nContext      0:      38.22 tokens/s\n';
  expect(read(text).results[0]?.system.model).toEqual({ value: 'qwen3-32b', origin: 'context' });
});
