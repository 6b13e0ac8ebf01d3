import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { toModelName } from '../reading/context/model-name.ts';

// Real files that an earlier version misread, or rejected although they contain results.

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const figuresOf = (text: string) => read(text).results.map(({ metrics, load }) => ({ metrics, load }));

const block = fixture('vllm-bench-serve/0.5-old-labels.txt');

test.each(['<<<<<<< New line', '# was 3', '← better'])('ignores a remark after a value, "%s"', (remark) => {
  const marked = block.replace(/^(P99 TTFT \(ms\):.*\S)\s*$/m, `$1  ${remark}`);
  expect(marked).toContain(remark);
  expect(figuresOf(marked)).toEqual(figuresOf(block));
});

test('rejects a truncated figure with a remark', () => {
  const marked = block.replace(/^(P99 TTFT \(ms\):\s+).*$/m, '$112…  # cut');
  expect(() => read(marked)).toThrow(expect.objectContaining({ code: 'artifact_unreadable' }));
});

test.each(['vllm-bench-serve/0.5-old-labels.txt', 'sglang-bench-serving/0.5.5-two-blocks.md'])(
  'reads a block of %s without its banner',
  (name) => {
    const whole = fixture(name);
    const lines = whole.split('\n');
    const headless = lines.slice(lines.findIndex((line) => line.includes('Successful requests:'))).join('\n');
    // The log before the block shows that no request failed.
    const metrics = (text: string) => read(text).results.map((result) => ({ ...result.metrics, requests_failed: 0 }));
    expect(metrics(headless)).toEqual(metrics(whole));
    expect(read(headless).results[0]?.lines.from).toBe(1);
  },
);

test('does not read title boxes of a log as cases of attention-gym', () => {
  const name = 'attention-gym/2025-09-three-cases.txt';
  const log = fixture(name);
  const box = '╔══════════════════════╗\n║  RTX PRO 6000, 600 W ║\n╚══════════════════════╝\n';
  expect(figuresOf(`${box}${box}\nsome words\n${log}`)).toEqual(figuresOf(log));
  expect(() => read(`${log}${box}`)).toThrow(DomainError);
});

test('reads a CSV of GenAI-Perf that is indented in a note', () => {
  const csv = fixture('genai-perf/2024-05-no-units.csv');
  const indented = csv.replaceAll(/^(?=.)/gm, '    ');
  expect(figuresOf(`What it wrote:\n\n${indented}\n\nThat is all.\n`)).toEqual(figuresOf(csv));
});

test.each(['%MODEL_PATH%', '/models/%MODEL%', '$MODEL', '{model}'])('reads %s as a variable, not a model', (text) => {
  expect(toModelName(text)).toBeNull();
});

test('lists an evalscope TPOT with an unknown formula as ignored', () => {
  const { results, ignored } = read(
    fixture('evalscope-perf/1.2-seconds.txt').replace(/^\| Average inter-token latency.*\n\+.*\n/m, ''),
  );
  expect(Object.keys(results[0]?.metrics ?? {}).filter((name) => name.startsWith('tpot'))).toEqual([]);
  expect(ignored).toContain('Average time per output token (s)');
  expect(ignored).toContain('percentiles of TPOT (s)');
});

test('rounds a rate that was not reached to four digits', () => {
  const { results } = read(fixture('vllm-bench-serve-json/0.15-speculative-rate-not-reached.json'));
  const note = results.flatMap(({ notes }) => notes).find(({ code }) => code === 'rate_not_reached');
  expect(note?.message).toMatch(/^[\d.]{1,6} requests per second were requested and [\d.]{1,6} reached/);
});

// Notes are sentences for people, and a double with all its digits is unreadable.
test('prints at most six decimals in notes', () => {
  const root = new URL('../../../fixtures/', import.meta.url);
  const expected = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.expected.json'),
  );
  const messages = expected.flatMap((name) => {
    const { results = [] } = JSON.parse(fixture(name)) as { results?: { notes?: { message: string }[] }[] };
    return results.flatMap(({ notes = [] }) => notes.map(({ message }) => message));
  });
  expect(messages.length).toBeGreaterThan(50);
  expect(messages.filter((message) => /\d\.\d{7}/.test(message))).toEqual([]);
});
