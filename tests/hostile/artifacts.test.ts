import { describe, expect, it } from 'vitest';
import { expectRule, nativeReport, problemOf, sglangLine } from '../support/hostile.ts';
import { unspecified, useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { look, submit } = useHostileApp();

describe('artifacts', () => {
  const raw = (from: string, to: string, over?: Parameters<typeof nativeReport>[0]) =>
    nativeReport(over).replace(from, to);
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const refused: [string, string | Uint8Array][] = [
    ['an empty body', ''],
    ['spaces', '  \n\t '],
    ['only a byte order mark', Buffer.from([0xef, 0xbb, 0xbf])],
    ['only a UTF-16 byte order mark', Buffer.from([0xff, 0xfe])],
    ['brackets 100 000 deep', '['.repeat(100_000)],
    ['objects 100 000 deep', '{"a":'.repeat(100_000)],
    ['objects 201 deep', `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`],
    ['1e309', raw('800', '1e309')],
    ['-1e309', raw('800', '-1e309')],
    ['100 000 digits', raw('800', '9'.repeat(100_000))],
    ['2^53 + 1 requests', raw('"output_tok_s":800', '"requests_ok":9007199254740993')],
    ['a repeated key', raw('"load":', '"load":1,"load":')],
    ['__proto__ as a key', raw('"load":', '"__proto__":1,"load":')],
    ['constructor as a key', raw('"load":', '"constructor":1,"load":')],
    ['toString as a metric', raw('"output_tok_s"', '"toString"')],
    ['constructor as a definition', nativeReport({ result: { definitions: { constructor: 'x' } } })],
    ['U+0000', '{"a":"\u0000"}'],
    ['an escaped U+0000', raw('unspecified', 'a\\u0000')],
    ['a lone high surrogate', raw('unspecified', 'a\\ud800')],
    ['a lone low surrogate', raw('unspecified', '\\udc00a')],
    ['a lone surrogate in a key', raw('"output_tok_s"', '"\\ud800"')],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x61])],
    ['UTF-16 without a byte order mark', Buffer.from(nativeReport(), 'utf16le')],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0])],
    ['a zip', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(1000, 7)])],
    ['a gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['a document without results', '{"schema":"inferboard/v1","results":[]}'],
    ['a future schema version', '{"schema":"inferboard/v9","results":[]}'],
    ['99 999 999 999 GPUs', nativeReport({ system: { gpu_count: 99_999_999_999 } })],
    ['2^31 GPUs', nativeReport({ system: { gpu_count: 2 ** 31 } })],
    ['2^31 wide tensors', nativeReport({ system: { parallelism: { tensor: 2 ** 31 } } })],
    ['2^31 input tokens', nativeReport({ scenario: { input_tokens: 2 ** 31, output_tokens: 1 } })],
    ['2^53 - 1 output tokens', nativeReport({ scenario: { input_tokens: 1, output_tokens: 2 ** 53 - 1 } })],
    ['2^31 deep', nativeReport({ scenario: { input_tokens: 1, output_tokens: 1, depth: 2 ** 31 } })],
    ['repetition 2^31', nativeReport({ result: { repetition: 2 ** 31 } })],
    ['a fractional concurrency', nativeReport({ result: { load: { mode: 'concurrency', level: 1.5 } } })],
    ['an infinite feature', raw('"x":1', '"x":Infinity', { system: { features: { x: 1 } } })],
    ['a duration of 0', nativeReport({ result: { metrics: { duration_s: 0, requests_ok: 0, req_s: 0 } } })],
    ['the year 0', nativeReport({ result: { measured_at: '0000-01-01T00:00:00Z' } })],
    ['the year 10 000', nativeReport({ result: { measured_at: '9999-12-31T23:59:59-23:59' } })],
    ['a name with a bidi override', nativeReport({ system: { model: 'abc\u202egpj' } })],
    ['a name with an escape', nativeReport({ system: { model: 'abc\u001b[31m' } })],
    ['a name with two lines', nativeReport({ system: { engine: { name: 'a\nb' } } })],
    ['a name of 201 characters', nativeReport({ system: { model: 'm'.repeat(201) } })],
    ['2^31 input tokens of SGLang', sglangLine(0, { input_len: 2 ** 31 })],
    ['3e9 output tokens of SGLang', sglangLine(0, { output_len: 3e9 })],
    ['samples without their metric', nativeReport({ result: { repeats: { samples: { decode_tok_s: [1, 2] } } } })],
    ['1e308', raw('800', '1e308')],
    ['5e-324', raw('800', '5e-324')],
    ['2^53 - 1 repetitions', nativeReport({ result: { repeats: { n: 2 ** 53 - 1, sd: { output_tok_s: 1 } } } })],
    ['10 001 lines', Array.from({ length: 10_001 }, (_, i) => sglangLine(i)).join('\n')],
  ];
  it.each(refused)('rejects %s, stored or as a dry run', async (_, body) => {
    for (const query of [`dry_run=true&${unspecified}`, unspecified]) {
      const seen = await submit(body, query);
      expectRule(seen);
      expect(seen.status, seen.text.slice(0, 200)).toBe(422);
    }
  });

  const taken: [string, string | Uint8Array][] = [
    ['a byte order mark', `\ufeff${nativeReport()}`],
    ['UTF-16', utf16(nativeReport())],
    ['NaN next to a figure', raw('"output_tok_s":800', '"output_tok_s":800,"req_s":NaN')],
    ['constructor as a feature', nativeReport({ system: { features: { constructor: 1, to_string: true } } })],
    ['a power limit of a megawatt', nativeReport({ system: { gpu_power_limit_w: 1_000_000 } })],
    ['a power limit of a milliwatt', nativeReport({ system: { gpu_power_limit_w: 0.001 } })],
    ['1e308 requests a second', nativeReport({ result: { load: { mode: 'rate', level: 1e308 } } })],
    ['quotes and SQL in a name', nativeReport({ system: { model: `"'; drop table results; --\\` } })],
    ['a name in four scripts', nativeReport({ system: { model: 'модель-模型-नमूना-μοντέλο' } })],
  ];
  it.each(taken)('accepts %s, and every board still responds', async (_, body) => {
    const seen = await submit(body, unspecified.replace('model=unspecified&', ''));
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBeLessThan(300);
    expect(seen.text).not.toMatch(/\bNaN\b|Infinity/);
    for (const metric of ['output_tok_s', 'output_tok_s_per_gpu', 'tok_per_joule', 'req_s']) {
      const board = await look(`/v1/leaderboard?rank_by=${metric}&include=quarantined&limit=200`);
      expectRule(board);
      expect(board.status).toBe(200);
    }
  });

  it.each([
    'measured_at=0000-01-01T00:00:00Z',
    'measured_at=2026-01-01T00:00:00%2B23:59',
    `measured_at=2026-01-01T00:00:00.${'1'.repeat(200)}Z`,
    'source_url=http://a/%00',
    'source_url=http://a/%0Ab',
    'source_url=javascript:alert(1)',
    'notes=%00',
    `notes=${'x'.repeat(4001)}`,
    'gpu_count=0',
    'gpu_count=1e3',
    'gpu_power_limit_w=0',
    'tool=__proto__',
    'tool=%00',
    'tool=native&tool=native',
    'scenario=%00',
    'engine=%E2%80%AE',
  ])('rejects %s sent with an artifact, stored or as a dry run', async (parameter) => {
    for (const dry of ['dry_run=true&', '']) {
      const seen = await submit(sglangLine(), `${dry}${unspecified}&${parameter}`);
      expectRule(seen);
      expect(seen.status, seen.text.slice(0, 200)).toBe(422);
      expect(problemOf(seen).errors?.[0]?.parameter).toBe(parameter.split('=')[0]);
    }
  });

  it('rejects 16 MiB plus one byte, with or without a Content-Length', async () => {
    const seen = await submit(new Uint8Array(16 * 1024 * 1024 + 1).fill(97));
    expectRule(seen);
    expect(seen.status).toBe(413);
  });
});
