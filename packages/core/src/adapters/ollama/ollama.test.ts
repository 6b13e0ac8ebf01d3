import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';
import { parseGoDuration } from './block.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const log = fixture('ollama/2025-04-two-models.log');
const answers = fixture('ollama/2025-answers.jsonl');

test('reads rates, and the latency without the load time of the model', () => {
  const [result] = read(log);
  expect(result?.metrics).toEqual({
    e2e_ms_mean: 3000,
    prefill_tok_s: 480,
    decode_tok_s: 109.09,
    user_tok_s: 109.09,
    requests_ok: 1,
    input_tokens: 120,
    output_tokens: 300,
  });
  expect(result?.definitions).toEqual({
    e2e_ms: 'request',
    prefill_tok_s: 'in_process',
    decode_tok_s: 'in_process',
    user_tok_s: 'in_process',
  });
  expect(result?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(result?.system).toMatchObject({
    model: { value: 'example3:4b-it-q4_K_M', origin: 'context' },
    quantization: { value: 'q4_K_M', origin: 'inferred' },
    engine: { value: 'ollama', origin: 'stated' },
  });
});

test('reads several blocks as repetitions of the last named model', () => {
  expect(read(log).map(({ system, repetition }) => [system.model?.value, repetition])).toEqual([
    ['example3:4b-it-q4_K_M', 1],
    ['example3:4b-it-q4_K_M', 2],
    ['example-tiny', 1],
  ]);
});

test('omits the prefill speed of a cached prompt, and notes partial cache hits', () => {
  const [, whole, part] = read(log);
  expect(whole?.metrics).not.toHaveProperty('prefill_tok_s');
  // 1m2.5s minus 61.7 µs.
  expect(whole?.metrics.e2e_ms_mean).toBe(62499.9383);
  expect(part?.notes).toContainEqual(expect.objectContaining({ code: 'prefix_cache_hits' }));
});

test('reads an API response in nanoseconds, without its text', () => {
  const { results, ignored } = readArtifact(bytes(answers));
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toMatchObject({ e2e_ms_mean: 3000, prefill_tok_s: 480 });
  // 300 tokens in 2.75 s.
  expect(results[0]?.metrics.decode_tok_s).toBeCloseTo(109.0909, 4);
  expect(results[0]?.system.model).toEqual({ value: 'example3:8b', origin: 'stated' });
  expect(results[0]?.measuredAt).toBe('2025-04-14T18:15:39.123Z');
  expect(ignored).toContain('response');
});

test("reads KTransformers' chat, which prints the same lines", () => {
  const chat = `python3 -m ktransformers.local_chat --model_path deepseek-ai/DeepSeek-R1 --gguf_path $HOME/DeepSeek-R1-GGUF/DeepSeek-R1-Q4_K_M/ --cpu_infer 18

prompt eval count:    14 token(s)
prompt eval duration: 3.272608757019043s
prompt eval rate:     4.277932695123732 tokens/s
eval count:           300 token(s)
eval duration:        104.77625703811646s
eval rate:            2.863244102057046 tokens/s
`;
  const { tool, results } = readArtifact(bytes(chat));
  expect(tool.name).toBe('KTransformers local_chat');
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'deepseek-ai/DeepSeek-R1', origin: 'context' },
      quantization: { value: 'Q4_K_M', origin: 'inferred' },
      engine: { value: 'ktransformers', origin: 'context' },
    },
    metrics: { decode_tok_s: 2.863244102057046, input_tokens: 14 },
  });
  // Only KTransformers prints all decimals.
  const lines = chat.slice(chat.indexOf('prompt eval count'));
  expect(read(lines)[0]?.system).toMatchObject({
    model: null,
    engine: { value: 'ktransformers', origin: 'inferred' },
  });
  const rounded = lines.replace('2.863244102057046', '2.86');
  expect(readArtifact(bytes(rounded)).tool.name).toBe('ollama --verbose');
  expect(read(rounded)[0]?.system.engine?.value).toBe('ollama');
});

test('reads no model without a command', () => {
  expect(read(log.slice(log.indexOf('total duration')).split('\n\n')[0] ?? '')[0]?.system.model).toBeNull();
});

test.each([
  [
    'unreadable figures',
    fixture('ollama/2025-cut.refused.txt'),
    ['block_cut', 'value_unreadable', 'value_unreadable', 'nothing_measured'],
  ],
  ['a truncated block', log.slice(0, log.indexOf('eval duration:        2.75s')), ['block_cut']],
  ['a response without a time', answers.replace('"eval_duration":2750000000', '"eval_duration":0'), ['value_invalid']],
])('rejects %s', (_, text, codes) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'artifact_unreadable',
      faults: codes.map((code) => expect.objectContaining({ code, line: expect.any(Number) })),
    }),
  );
});

test.each([
  'llama_perf_context_print:        eval time =    2750.00 ms /   300 runs   (    9.17 ms per token,   109.09 tokens per second)',
  'How do I read "eval rate: 12 tokens/s" and "total duration"?',
  'eval rate:            109.09 tokens/s',
])('does not claim %j', (text) => {
  expect(() => readArtifact(bytes(text), { tool: 'ollama' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

test.each([
  ['3m12.5s', 192500],
  ['1h2m3s', 3723000],
  ['412.5ms', 412.5],
  ['850.2µs', 0.8502],
  ['850.2μs', 0.8502],
  ['850.2us', 0.8502],
  ['95ns', 0.000095],
  ['0s', 0],
  ['104.77625703811646s', 104776.257038],
  ['', null],
  ['3.2', null],
  ['3.2…', null],
  ['2s1m', null],
])('parses the duration %j', (text, expected) => {
  expect(parseGoDuration(text)).toBe(expected);
});

test('adds the parts of a duration', () => {
  const part = fc.integer({ min: 0, max: 59 });
  fc.assert(
    fc.property(fc.nat({ max: 99 }), part, part, fc.nat({ max: 999 }), (h, m, s, ms) => {
      const text = `${h}h${m}m${s}.${String(ms).padStart(3, '0')}s`;
      expect(parseGoDuration(text)).toBe(h * 3.6e6 + m * 6e4 + s * 1000 + ms);
    }),
  );
});

// https://github.com/ollama/ollama/issues/7740
test('ignores bold marks and arrows around a figure', () => {
  const [first, second] = read(fixture('ollama/2024-11-bold-with-arrows.md'));
  expect(first?.metrics).toMatchObject({ decode_tok_s: 37.47, input_tokens: 13, output_tokens: 480 });
  expect(second?.metrics).toMatchObject({ decode_tok_s: 36.64, input_tokens: 506 });
});

// A browser copies such blanks from a page.
test('reads blanks that do not break', () => {
  const copied = log.replaceAll('  ', '\u00a0 ');
  expect(copied).not.toBe(log);
  expect(read(copied).map(({ metrics }) => metrics)).toEqual(read(log).map(({ metrics }) => metrics));
});
