import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestBody } from '../../prompts/body.ts';
import { DatasetError } from '../../prompts/datasets/dataset-error.ts';
import { openPromptsFile, type PromptsFileOptions } from './prompts-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prompts-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const asOne: PromptsFileOptions = { outputTokens: null, conversation: null };
// Four characters per token.
const tools = {
  vocabulary: () => Promise.reject(new Error('not asked for')),
  systemOverhead: async () => 1,
  countTokens: async (text: string) => text.length / 4,
};

async function unitsOf(path: string, count: number, options = asOne, seed = 3) {
  const source = await openPromptsFile(path, options);
  const units = (await source.open(tools))(seed);
  return { source, units: Array.from({ length: count }, (_, index) => units(index)) };
}

test('reads records of every form', async () => {
  const path = await file(
    'forms.jsonl',
    lines([
      { prompt: 'as text', output_tokens: 7 },
      { question: 'with an answer', answer: 'x'.repeat(40) },
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'by messages' },
        ],
        max_tokens: 9,
      },
      {
        conversations: [
          { from: 'human', value: 'of ShareGPT' },
          { from: 'gpt', value: 'y'.repeat(8) },
        ],
      },
      { input: 'without a length' },
    ]),
  );
  const { units, source } = await unitsOf(path, 5);
  const asked = units.map(({ turns: [{ messages, outputTokens }] }) => [messages.at(-1)?.content, outputTokens]);
  expect(new Map(asked as [string, number][])).toEqual(
    new Map([
      ['as text', 7],
      ['with an answer', 10],
      ['by messages', 9],
      ['of ShareGPT', 2],
      ['without a length', 256],
    ]),
  );
  expect(source.name).toMatch(/^forms-[0-9a-f]{8}$/);
  expect(source.files[0]).toMatchObject({ name: 'forms.jsonl', records: 5 });
  expect(source.notes(5)).toEqual([]);
  expect(source.notes(6)).toEqual([expect.stringMatching(/5 prompts for 6 requests/)]);
});

test('reads CSV with quotes, commas and line ends in cells', async () => {
  const path = await file('a.csv', 'prompt,output_tokens\r\n"one, ""two""\nthree",5\r\nplain,6\r\n');
  const { units } = await unitsOf(path, 2);
  const asked = units.map(({ turns: [{ messages, outputTokens }] }) => [messages[0]?.content, outputTokens]);
  expect(asked.sort()).toEqual([
    ['one, "two"\nthree', 5],
    ['plain', 6],
  ]);
});

test('reads a conversation as one request with its recorded answers, or as one request per turn', async () => {
  const turns = ['a', 'b', 'c', 'd', 'e'];
  const messages = turns.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
  const path = await file('talk.json', JSON.stringify([{ messages }]));
  const whole = await unitsOf(path, 1);
  expect(whole.units[0]?.turns.map((turn) => turn.messages)).toEqual([messages]);
  const byTurn = await unitsOf(path, 1, { ...asOne, conversation: { turns: 2, thinkS: null } });
  expect(byTurn.units[0]?.turns.map((turn) => turn.messages)).toEqual([[messages[0]], [messages[2]]]);
});

test('uses each prompt once before repeating any, in an order given by the seed', async () => {
  const path = await file('ten.jsonl', lines(Array.from({ length: 10 }, (_, at) => ({ prompt: `prompt ${at}` }))));
  const text = ({ units }: Awaited<ReturnType<typeof unitsOf>>) =>
    units.map(({ turns: [{ messages }] }) => String(messages[0]?.content));
  for (let seed = 0; seed < 20; seed++) {
    const once = text(await unitsOf(path, 20, asOne, seed));
    expect(new Set(once.slice(0, 10)).size).toBe(10);
    expect(new Set(once.slice(10)).size).toBe(10);
    expect(text(await unitsOf(path, 20, asOne, seed))).toEqual(once);
  }
  expect(text(await unitsOf(path, 10, asOne, 1))).not.toEqual(text(await unitsOf(path, 10, asOne, 2)));
});

test.each<[string, string, DatasetError['code'], RegExp]>([
  [
    'none.jsonl',
    '{"a":1}\n{"messages":[]}\n{"prompt":" "}\n{"prompt":"\\u0000"}\n',
    'no_usable_records',
    /line 1 has neither.*\n.*line 2 has messages that cannot.*\n.*line 3 has an empty.*\n.*line 4 contains U\+0000.*\nGive each record a prompt/,
  ],
  [
    'broken.jsonl',
    '{"prompt":"a"}\n{"prompt":',
    'json_invalid',
    /line 2: the file ends inside record 2\. Write each record as one complete JSON object/,
  ],
  ['wide.csv', 'prompt\na\nb,c\n', 'csv_invalid', /line 3: 2 cells, but the header has 1/],
  ['open.csv', 'prompt\n"a\n', 'csv_invalid', /line 2: a quote is not closed\. Give each line/],
  ['empty.json', '', 'empty', /is empty\. Write one JSON object per line/],
  [
    'nope.jsonl',
    '{"prompt":"a"}\n{prompt:1}',
    'json_invalid',
    /nope\.jsonl, line 2: record 2 is not JSON \(.+\)\. Write/,
  ],
  ['texts.json', '["a"]', 'json_invalid', /line 1: " is unexpected: a record is an object in \{ and \}\. Write/],
  ['plain.txt', 'a\nb\n', 'no_usable_records', /line 2 has neither.*\n.* is read as CSV: its first line must name/],
])('rejects %s', async (name, content, code, words) => {
  const path = await file(name, content);
  const error = await openPromptsFile(path, asOne).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(DatasetError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
});

test('requires documents in a record to rank', async () => {
  const path = await file('rank.jsonl', lines([{ query: 'q' }, { query: 'q', documents: ['a', 'b'] }]));
  const { units, source } = await unitsOf(path, 1, { ...asOne, needsDocuments: true });
  expect(units[0]?.documents).toEqual(['a', 'b']);
  expect(source.notes(1)).toEqual([expect.stringMatching(/^1 record of rank\.jsonl cannot be sent and is left out$/)]);
});

test('rejects a missing file', async () => {
  await expect(openPromptsFile(join(folder, 'absent.json'), asOne)).rejects.toMatchObject({
    code: 'file_missing',
    message: expect.stringMatching(/^There is no file .*absent\.json\. Check the path\.$/),
  });
  await expect(openPromptsFile(folder, asOne)).rejects.toThrow(/ is not a file\. Name a file/);
  const latin = join(folder, 'latin.csv');
  await writeFile(latin, Buffer.from('prompt\na\nl\xe4nder\n', 'latin1'));
  await expect(openPromptsFile(latin, asOne)).rejects.toThrow(
    /line 3: the text is not UTF-8\. Save the file as UTF-8\./,
  );
});

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const withTools = [
  { role: 'user', content: 'How warm is it?' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: '12 °C' },
  { role: 'assistant', content: 'z'.repeat(20) },
];

test('includes tool calls and results in the prompt, and reads the answer after them', async () => {
  const path = await file('tools.jsonl', lines([{ messages: withTools }]));
  const { units } = await unitsOf(path, 1);
  expect(units[0]?.turns[0]).toEqual({
    messages: [withTools[0], { ...withTools[1], content: '' }, withTools[2]],
    outputTokens: 5,
    thinkMs: 0,
  });
  const body = requestBody({
    ...{ endpoint: 'responses', dialect: 'openai', model: 'm', forcing: 'none', outputTokens: 5, prompt: '' },
    messages: units[0]?.turns[0].messages ?? [],
  });
  expect(body.input).toEqual([
    { role: 'user', content: 'How warm is it?' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '12 °C' },
  ]);
});

test('rejects a tool result without a call', async () => {
  const [question, ask, result] = withTools;
  const path = await file('no-call.jsonl', lines([{ messages: [question, ask, { ...result, tool_call_id: null }] }]));
  await expect(openPromptsFile(path, asOne)).rejects.toThrow(/line 1 has messages that cannot be sent/);
});

test('reads a file compressed with gzip', async () => {
  const packed = gzipSync(lines([{ prompt: 'packed', output_tokens: 7 }]));
  const path = join(folder, 'packed.jsonl.gz');
  await writeFile(path, packed);
  const { source, units } = await unitsOf(path, 1);
  expect(units[0]?.turns[0]).toMatchObject({ messages: [{ role: 'user', content: 'packed' }], outputTokens: 7 });
  expect(source.name).toMatch(/^packed-[0-9a-f]{8}$/);
  await writeFile(path, packed.subarray(0, packed.length - 12));
  await expect(openPromptsFile(path, asOne)).rejects.toThrow('packed.jsonl.gz is damaged: it cannot be unpacked');
});
