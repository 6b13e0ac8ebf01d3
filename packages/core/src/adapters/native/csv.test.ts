import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const heading = 'schema,model,quantization,gpu,scenario,load_mode,load_level';
const facts = 'inferboard/v1,llama-3.1-8b,bf16,h100-sxm,chatbot,concurrency,8';
const read = (text: string) => readArtifact(new TextEncoder().encode(`${text}\n`));

function faultsOf(text: string) {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
}

test('reads each row as a result, empty cells as missing and zeros as values', () => {
  const { tool, results } = read(`${heading},req_s,itl_ms,tpot_ms_p99\n${facts},0,5.8,\n${facts},2,,9`);
  expect(tool).toEqual({ name: 'native', version: null });
  expect(results.map(({ metrics, lines }) => ({ metrics, lines }))).toEqual([
    { metrics: { req_s: 0, itl_ms_mean: 5.8 }, lines: { from: 2, to: 2 } },
    { metrics: { req_s: 2, tpot_ms_p99: 9 }, lines: { from: 3, to: 3 } },
  ]);
  expect(results[0]?.system.gpu).toEqual({ value: 'h100-sxm', origin: 'stated' });
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 8 });
});

test('reads facts, formulas and objects from separate columns', () => {
  const row = `${facts},4,per_chunk,"{""draft_tokens"": 3}","{""ttft_ms"": 500}",1024,7`;
  const { results } = read(
    `${heading},itl_ms_mean,itl_ms_definition,features,slo,scenario_input_tokens,input_tokens\n${row}`,
  );
  expect(results[0]).toMatchObject({
    definitions: { itl_ms: 'per_chunk' },
    system: { features: { draft_tokens: 3 } },
    limits: { ttftMs: 500 },
    scenario: { inputTokens: { value: 1024 } },
    metrics: { input_tokens: 7 },
  });
});

test('finds a table in a log, and after a comma-separated heading of another program', () => {
  const { results } = read(`done.\n\na,b\n1,2\n\n${heading},req_s\n${facts},3\n\nbye`);
  expect(results).toMatchObject([{ metrics: { req_s: 3 }, lines: { from: 7, to: 7 } }]);
});

describe('names the line and the column', () => {
  test.each<[string, string, object]>([
    ['text instead of a number', `${heading},req_s\n${facts},fast`, { line: 2, code: 'value_invalid' }],
    ['a truncated number', `${heading},req_s\n${facts},"1,38…"`, { line: 2, code: 'value_invalid' }],
    ['a negative latency', `${heading},ttft_ms_mean\n${facts},-1`, { line: 2, message: /ttft_ms_mean/ }],
    ['an unknown column', `${heading},reqs_s\n${facts},1`, { line: 1, hint: 'Did you mean "req_s"?' }],
    ['a derived metric', `${heading},mbu\n${facts},1`, { line: 2, code: 'metric_derived' }],
    ['a duplicate column', `${heading},req_s,req_s\n${facts},1,1`, { line: 1, code: 'field_repeated' }],
    ['a short row', `${heading},req_s\n${facts}`, { line: 2, code: 'row_uneven' }],
    [
      'features that are not an object',
      `${heading},req_s,features\n${facts},1,[1]`,
      { line: 2, code: 'value_invalid' },
    ],
    ['another schema', `${heading},req_s\n${facts.replace('/v1', '/v9')},1`, { line: 2, code: 'schema_unknown' }],
  ])('of %s', (_, text, { message, ...fault }: { message?: RegExp }) => {
    const expected = message === undefined ? fault : { ...fault, message: expect.stringMatching(message) };
    expect(faultsOf(text)).toContainEqual(expect.objectContaining(expected));
  });

  test('of all errors at once', () => {
    const lines = faultsOf(`${heading},req_s,nope\n${facts},x,1\n${facts},y,1`).map(({ line }) => line);
    expect(lines).toEqual([1, 2, 3]);
  });
});

test('does not claim a table without rows of the native format', () => {
  expect(() => read(`${heading},req_s\n`)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  expect(() => read('schema,a\npublic,1')).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

test('reads or rejects a table with any cells', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 }), (cells) => {
      const row = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
      faultsOf(`${heading},req_s,features,notes,repetition\n${facts},${row}`);
    }),
  );
});
