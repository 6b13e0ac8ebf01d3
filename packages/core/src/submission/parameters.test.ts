import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Parameters, parameterShape } from './parameters.ts';

const schema = z.strictObject(parameterShape);
const read = (given: Record<string, unknown>): Parameters => schema.parse(given);
const accepts = (parameter: string, value: unknown) => schema.safeParse({ [parameter]: value }).success;

const names = ['model', 'quantization', 'gpu', 'engine', 'engine_version', 'scenario', 'dataset'] as const;

describe.each(names)('%s', (parameter) => {
  test('is trimmed and normalized to NFC', () => {
    expect(read({ [parameter]: '  Cafe\u0301 8B \n' })[parameter]).toBe('Caf\u00e9 8B');
    expect(read({ [parameter]: '模型 8B (中)' })[parameter]).toBe('模型 8B (中)');
  });

  test('has 1 to 200 characters', () => {
    expect(accepts(parameter, 'x'.repeat(200))).toBe(true);
    expect(accepts(parameter, 'x'.repeat(201))).toBe(false);
    expect(accepts(parameter, '')).toBe(false);
    expect(accepts(parameter, ' \t ')).toBe(false);
    // Trimmed characters do not count.
    expect(accepts(parameter, `  ${'x'.repeat(200)}  `)).toBe(true);
  });

  test('rejects control characters', () => {
    for (let code = 0; code < 0xa0; code++) {
      if (code >= 0x20 && code < 0x7f) continue;
      expect(accepts(parameter, `a${String.fromCharCode(code)}b`), `U+${code.toString(16)}`).toBe(false);
    }
  });

  // These characters can make a name look like another one.
  test('rejects bidirectional control characters', () => {
    const found: number[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      if (/\p{Bidi_Control}/u.test(String.fromCharCode(code))) found.push(code);
    }
    expect(found).toHaveLength(12);
    const passed = found.filter((code) => accepts(parameter, `a${String.fromCharCode(code)}b`));
    expect(passed.map((code) => `U+${code.toString(16)}`)).toEqual([]);
  });

  test('rejects half a surrogate pair', () => {
    expect(accepts(parameter, 'a\ud83d')).toBe(false);
    expect(accepts(parameter, '\ude00a')).toBe(false);
    expect(accepts(parameter, 'a😀')).toBe(true);
  });

  test('rejects values that are not a string', () => {
    for (const value of [8, null, ['a', 'b'], {}, true]) expect(accepts(parameter, value)).toBe(false);
  });
});

describe('counts', () => {
  test.each(['gpu_count', 'tensor_parallel'] as const)('%s is a whole number from 1 to 100 000', (parameter) => {
    expect(read({ [parameter]: '8' })[parameter]).toBe(8);
    expect(read({ [parameter]: '008' })[parameter]).toBe(8);
    expect(read({ [parameter]: '100000' })[parameter]).toBe(100_000);
    for (const value of ['0', '-1', '1.5', '1e3', '100001', '0x8', ' 8', '8 ', '', 'eight', '٨', '9'.repeat(13), 8]) {
      expect(accepts(parameter, value), JSON.stringify(value)).toBe(false);
    }
  });

  test.each(['input_tokens', 'output_tokens'] as const)('%s is a whole number and may be 0', (parameter) => {
    expect(read({ [parameter]: '0' })[parameter]).toBe(0);
    expect(read({ [parameter]: '999999999' })[parameter]).toBe(999_999_999);
    for (const value of ['-1', '1.5', '1k', '', '1000000000', 'NaN', 'Infinity']) {
      expect(accepts(parameter, value), JSON.stringify(value)).toBe(false);
    }
  });

  test('gpu_power_limit_w is a positive number', () => {
    expect(read({ gpu_power_limit_w: '450' }).gpu_power_limit_w).toBe(450);
    expect(read({ gpu_power_limit_w: '62.5' }).gpu_power_limit_w).toBe(62.5);
    for (const value of ['0', '0.0', '-450', '450W', '1e3', '.5', '450.', '1234567', 'NaN']) {
      expect(accepts('gpu_power_limit_w', value), value).toBe(false);
    }
  });
});

describe('the load', () => {
  test('has one of the modes', () => {
    for (const mode of ['concurrency', 'burst', 'rate', 'batch'])
      expect(read({ load_mode: mode }).load_mode).toBe(mode);
    for (const mode of ['unspecified', 'Burst', '', 'single']) expect(accepts('load_mode', mode), mode).toBe(false);
  });

  test('has a level above 0', () => {
    expect(read({ load_level: '32' }).load_level).toBe(32);
    expect(read({ load_level: '0.5' }).load_level).toBe(0.5);
    for (const value of ['0', '0.0', '-1', '1e3', '', '.5', '1234567890', 'inf']) {
      expect(accepts('load_level', value), value).toBe(false);
    }
  });
});

describe('other parameters', () => {
  test('notes are plain text of at most 4000 characters, line breaks included', () => {
    expect(read({ notes: 'first\nsecond' }).notes).toBe('first\nsecond');
    expect(accepts('notes', 'x'.repeat(4000))).toBe(true);
    expect(accepts('notes', 'x'.repeat(4001))).toBe(false);
    expect(accepts('notes', 'a\u0000b')).toBe(false);
    expect(accepts('notes', 'a\ud800')).toBe(false);
  });

  test('source_url is an HTTP address', () => {
    expect(read({ source_url: 'https://example.org/run?id=1#top' }).source_url).toBe(
      'https://example.org/run?id=1#top',
    );
    for (const value of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.org/x',
      'file:///etc/passwd',
      'example.org',
      '//example.org',
      '',
      `https://example.org/${'x'.repeat(2000)}`,
    ]) {
      expect(accepts('source_url', value), value).toBe(false);
    }
  });

  // The database cannot store U+0000 or half a surrogate pair: such a URL is rejected or stays percent-encoded.
  test.each([
    ['U+0000', 'https://example.org/a\u0000b'],
    ['a lone surrogate', 'https://example.org/a\ud800b'],
    ['a line break', 'https://example.org/a\nb'],
    ['a bidirectional control character', 'https://example.org/a\u202eb'],
  ])('source_url rejects or encodes %s', (_, value) => {
    expect(schema.safeParse({ source_url: value }).data?.source_url ?? '').toMatch(/^[\x21-\x7e]*$/);
  });

  test('measured_at has a date, a time and an offset', () => {
    for (const value of ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.123Z', '2026-11-21T12:00:00+05:30']) {
      expect(read({ measured_at: value }).measured_at).toBe(value);
    }
    for (const value of [
      '2026-11-21',
      '2026-11-21T12:00:00',
      '2026-02-30T12:00:00Z',
      '2026-11-21T25:00:00Z',
      'yesterday',
      '1774000000',
      '2026-11-21 12:00:00Z',
      '+010000-01-01T00:00:00Z',
    ]) {
      expect(accepts('measured_at', value), value).toBe(false);
    }
  });

  // Times that are valid in the notation but not in the database.
  test.each([
    ['in the year 0', '0000-01-01T00:00:00Z'],
    ['at an offset of a day', '2026-11-21T12:00:00+23:59'],
    ['with hundreds of decimals', `2026-11-21T12:00:00.${'1'.repeat(300)}Z`],
  ])('measured_at cannot be %s', (_, value) => {
    expect(accepts('measured_at', value)).toBe(false);
  });

  test('rejects an unknown parameter', () => {
    expect(schema.safeParse({ modle: 'x' }).success).toBe(false);
  });

  test('has a description for every parameter, all optional', () => {
    expect(read({})).toEqual({});
    for (const [name, field] of Object.entries(parameterShape)) expect(field.description, name).toMatch(/\S/);
  });

  test('reports all errors at once', () => {
    const outcome = schema.safeParse({ model: '', gpu_count: '0', source_url: 'x', measured_at: 'x', modle: 'x' });
    expect(outcome.error?.issues.map((issue) => issue.path[0] ?? issue.code).sort()).toEqual([
      'gpu_count',
      'measured_at',
      'model',
      'source_url',
      'unrecognized_keys',
    ]);
  });
});
