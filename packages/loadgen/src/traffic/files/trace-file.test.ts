import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTraceFile } from './trace-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'traces-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const whole = { speed: 1, requests: null };
const words = ['able', 'baby', 'calm', 'deal', 'each'];
const vocabulary = { words, tokensPerWord: 1, overheadTokens: 4, isAdditive: true };
const tools = { vocabulary: async () => vocabulary, systemOverhead: async () => 1, countTokens: async () => 1 };
const mooncake = (timestamp: number, input_length: number, hash_ids: number[]) =>
  `${JSON.stringify({ timestamp, input_length, output_length: 9, hash_ids })}\n`;

test.each<[string, string, number[]]>([
  ['Mooncake, out of order', mooncake(3000, 10, [1]) + mooncake(500, 10, [2]), [0, 2500]],
  [
    'Azure',
    'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,374,44\n2023-11-16 18:17:04.0319600,396,109\n',
    [0, 52],
  ],
  [
    'BurstGPT in seconds',
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,Conversation log\n',
    [0, 40_000],
  ],
  [
    'a log with dates and prompts',
    '{"timestamp":"2026-01-01T00:00:00+01:00","prompt":"a","output_tokens":3}\n{"timestamp":"2025-12-31T23:00:01.5Z","prompt":"b","output_tokens":3}\n',
    [0, 1500],
  ],
  [
    'a log in seconds',
    '{"timestamp_s":10.5,"messages":[{"role":"user","content":"a"}],"max_tokens":3}\n{"timestamp_s":11,"prompt":"b","max_tokens":3}\n',
    [0, 500],
  ],
])('%s', async (name, content, due) => {
  const source = await openTraceFile(await file(`${name}.jsonl`, content), whole);
  expect([...(source.dueMs ?? [])].map((at) => Math.round(at * 1000) / 1000)).toEqual(due);
});

test('applies the speed, and reads only the first requests', async () => {
  const path = await file('speed.jsonl', [0, 1000, 3000].map((at) => mooncake(at, 10, [])).join(''));
  const fast = await openTraceFile(path, { speed: 2, requests: null });
  expect([...(fast.dueMs ?? [])]).toEqual([0, 500, 1500]);
  const first = await openTraceFile(path, { speed: 1, requests: 2 });
  expect([...(first.dueMs ?? [])]).toEqual([0, 1000]);
  expect(first.name).toMatch(/^speed-[0-9a-f]{8}-first-2$/);
});

test('gives prompts with equal first blocks the same beginning, and the lengths of the trace', async () => {
  const lines = [mooncake(0, 1500, [7, 8, 9]), mooncake(1, 1600, [7, 8, 10, 11]), mooncake(2, 1500, [6, 8, 9])];
  const source = await openTraceFile(await file('blocks.jsonl', lines.join('')), whole);
  const textsOf = async (seed: number) => {
    const units = (await source.open(tools))(seed);
    return [0, 1, 2].map((index) => String(units(index).turns[0].messages[0]?.content));
  };
  const texts = await textsOf(1);
  const [first = '', second = '', third = ''] = texts;
  const wordsOf = (text: string) => text.split(' ').slice(1);
  // The other four tokens are the digit and those that the server adds.
  expect(texts.map((text) => wordsOf(text).length)).toEqual([1496, 1596, 1496]);
  expect(wordsOf(first).slice(0, 1024)).toEqual(wordsOf(second).slice(0, 1024));
  expect(wordsOf(first).slice(1024, 1400)).not.toEqual(wordsOf(second).slice(1024, 1400));
  expect(wordsOf(first).slice(0, 512)).not.toEqual(wordsOf(third).slice(0, 512));
  expect(await textsOf(1)).toEqual(texts);
  expect(await textsOf(2)).not.toEqual(texts);
});

test('reports every incomplete record', async () => {
  const path = await file(
    'bad.jsonl',
    `${mooncake(0, 10, [])}{"timestamp":1}\n{"input_length":5,"output_length":2}\n{"timestamp":2,"prompt":"a"}\n`,
  );
  await expect(openTraceFile(path, whole)).rejects.toThrow(
    /line 2 has neither a prompt nor an input_length.*\n.*line 3 has no timestamp.*\n.*line 4 has no output_length\nGive each record/,
  );
});

test('requests one token for records without output tokens', async () => {
  const rows = '5,ChatGPT,472,18,490,Conversation log\n6,ChatGPT,30,0,30,Conversation log\n';
  const head = 'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n';
  const source = await openTraceFile(await file('failed.csv', head + rows), whole);
  const units = (await source.open(tools))(1);
  expect([...(source.dueMs ?? [])]).toEqual([0, 1000]);
  expect([0, 1].map((index) => units(index).turns[0].outputTokens)).toEqual([18, 1]);
  expect(source.notes(2)[1]).toBe('1 of 2 requests of failed.csv had 0 output tokens: 1 token is requested');
  const negative = await file('negative.csv', head + rows.replace(',0,30', ',-1,30'));
  await expect(openTraceFile(negative, whole)).rejects.toThrow('line 3 has no output_length');
});
