import { describe, expect, test } from 'vitest';
import { ArtifactError } from '../../errors.ts';
import { toArtifactText } from './artifact-text.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => toArtifactText(encode(text));

function faultsOf(bytes: Uint8Array) {
  try {
    toArtifactText(bytes);
  } catch (error) {
    if (error instanceof ArtifactError) return error.faults;
    throw error;
  }
  return [];
}

function utf16(text: string, isBigEndian: boolean): Uint8Array {
  const units = [...`\uFEFF${text}`].flatMap((character) => [
    character.charCodeAt(0) & 0xff,
    character.charCodeAt(0) >> 8,
  ]);
  return new Uint8Array(isBigEndian ? units.map((_, i) => units[i ^ 1] ?? 0) : units);
}

test('drops byte order marks and decodes UTF-16', () => {
  expect(read('\uFEFFabc').lines).toEqual(['abc']);
  expect(toArtifactText(utf16('a ± b\r\nc', false)).lines).toEqual(['a ± b', 'c']);
  expect(toArtifactText(utf16('a ± b\r\nc', true)).lines).toEqual(['a ± b', 'c']);
});

// Users need the line numbers of their file in error messages.
test('keeps the line numbers of the file', () => {
  const artifact = read('one\r\n\r 10%\r 50%\r100% done\nthree\u001b[31m red\u001b[0m\n\nfive');
  expect(artifact.lines).toEqual(['one', '100% done', 'three red', '', 'five']);
  expect(artifact.lineAt(5)).toBe('five');
  expect(artifact.lineAt(6)).toBe('');
});

test('reads carriage returns as line ends if there are no others', () => {
  expect(read('one\rtwo\rthree\r').lines).toEqual(['one', 'two', 'three']);
});

test.each([
  ['\u001b[?25h\u001b[1;32mtotal\u001b[0m', 'total'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b(Btext', 'text'],
  ['[1,0]<stdout>:value', 'value'],
  ['5.00 Â± 0.10 t/s', '5.00 ± 0.10 t/s'],
  ['5.00 ┬▒ 0.10 t/s', '5.00 ± 0.10 t/s'],
  ['[INFO] Â', '[INFO] Â'],
])('shows %j as %j', (text, expected) => {
  expect(read(text).lines).toEqual([expected]);
});

test.each([
  ['a stray Latin-1 byte', [0x61, 0x0a, 0x62, 0xb1, 0x63], 2, 'offset 3'],
  ['an encoded surrogate', [0xed, 0xa0, 0x80], 1, 'offset 0'],
  ['an overlong form', [0x0a, 0xc0, 0x80], 2, 'offset 1'],
  ['a truncated sequence', [0x61, 0xe2, 0x82], 1, 'offset 1'],
])('rejects %s with its location', (_, bytes, line, offset) => {
  const [fault] = faultsOf(new Uint8Array(bytes));
  expect(fault).toMatchObject({ code: 'encoding_broken', line });
  expect(fault?.message).toContain(offset);
});

test('rejects U+0000 with its line', () => {
  expect(faultsOf(encode('a\nb\u0000'))[0]).toMatchObject({ code: 'character_refused', line: 2 });
});

test('rejects half a UTF-16 character', () => {
  expect(faultsOf(new Uint8Array([0xff, 0xfe, 0x00, 0xd8]))[0]).toMatchObject({ code: 'encoding_broken' });
});

describe('credentials', () => {
  // The exact bytes of an artifact are public, so a key in a command line would be public too.
  test.each([
    'vllm bench serve --api-key sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2',
    'vllm serve x --api-key=hunter2hunter2',
    "headers: {'Authorization': 'Bearer eyJhbGciOi1234.abcdef'}",
    'Authorization: Bearer a1b2c3d4e5f6',
    'export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345',
    '{"api_key": "0123456789abcdef"}',
    "Namespace(api_key='a8f3kd93kd02', model='x')",
    'sk-abcdefghijklmnopqrstuvwxyz0123456789',
    'password=correct1horse',
    '\r --api-key sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2\r100%',
    // A window title, which is invisible, and a key printed in two colours.
    '\u001b]0;sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2\u0007$ ls',
    'sk-proj-\u001b[32ma1B2c3D4e5F6g7H8i9J0k1L2\u001b[0m',
  ])('are rejected and not repeated: %j', (line) => {
    const [fault] = faultsOf(encode(`first\n${line}\n`));
    expect(fault).toMatchObject({ code: 'credential_found', line: 2 });
    expect(JSON.stringify(fault)).not.toMatch(/a1B2c3|hunter2|eyJ|abcdef|a8f3/);
  });

  test.each([
    'vllm bench serve --api-key EMPTY',
    '--api-key "placeholder" \\',
    'run `export HF_TOKEN=hf_your_token_here`.',
    'vllm bench serve --api-key $OPENAI_API_KEY',
    'vllm bench serve --api-key token-abc123',
    'evalscope perf --api-key EMPTY_TOKEN \\',
    '-H "Authorization: Bearer THE_OPENAI_API_KEY"',
    'curl -H "Authorization: Bearer $KEY"',
    'curl -H "Authorization: Bearer <your-token-here>"',
    'HF_TOKEN=xxxxxxxxxxxxxxxx',
    'api_key=None, hf_output_len=None',
    'Warning: please set a HF_TOKEN to enable higher rate limits and faster downloads.',
    'HF_TOKEN: required',
    'Mean time per output token: 12.50',
    'disk-usage and task-abcdefghijklmnopqrstuvwxyz',
  ])('are not found in %j', (line) => {
    expect(faultsOf(encode(line))).toEqual([]);
  });
});
