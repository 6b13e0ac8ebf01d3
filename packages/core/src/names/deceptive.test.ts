import { describe, expect, it } from 'vitest';
import { NameSchema } from '../text/text.ts';
import { AccountNameSchema, isReservedName, nameKey } from './account-name.ts';
import { addressIn } from './address.ts';
import { deceptionIn } from './deceptive.ts';

// Readers must be able to distinguish two names, and a name must be what it looks like.

describe('a name', () => {
  it.each([
    'vLLM',
    'llama.cpp',
    'Qwen2.5-7B-Instruct',
    'Café Zürich',
    'Яндекс',
    'Яндекс GPT',
    'Ελληνικά',
    '通义千问',
    'Qwen通义',
    'ラマ7B',
    '라마 3',
    'LLaMA模型',
    'β-VAE',
    '5 µs',
    'Intel® Arc™ A770',
    'Nº 5',
    'naïve',
    'Łódź',
    'TinyLlama 🦙',
    'עברית',
    'مدل',
  ])('accepts %s', (name) => {
    expect(deceptionIn(name)).toBeNull();
    expect(NameSchema.parse(name)).toBe(name.normalize('NFC'));
  });

  it.each([
    ['аdmin', '"а" (U+0430, Cyrillic)'],
    ['vLLМ', '"М" (U+041C, Cyrillic)'],
    ['GPT4о', '"о" (U+043E, Cyrillic)'],
    ['ΑMD', '"Α" (U+0391, Greek)'],
    ['h1оо', '"о" (U+043E, Cyrillic)'],
    ['vլlm', '"լ" (U+056C, Armenian)'],
    ['admin\u200b', 'U+200B'],
    ['ad\u00admin', 'U+00AD'],
    ['\u202enimda', 'U+202E'],
    ['ad\u2066min', 'U+2066'],
    ['vllm\u0007', 'U+0007'],
    ['vllm\nmore', 'U+000A'],
    ['a\ufe0fb', 'U+FE0F'],
    ['\u3164', 'U+3164'],
    ['\u2800', 'U+2800'],
    ['\ue000', 'U+E000'],
    ['x\ud800', 'U+D800'],
    ['ａdmin', '"ａ" (U+FF41), which looks like "a"'],
    ['𝐚dmin', '"𝐚" (U+1D41A), which looks like "a"'],
    ['H１00', '"１" (U+FF11), which looks like "1"'],
  ])('rejects %j, and names the character', (name, named) => {
    expect(deceptionIn(name)).toContain(named);
    const { error } = NameSchema.safeParse(`x ${name} x`);
    expect(error?.issues).toHaveLength(1);
    expect(error?.issues[0]?.message).toContain(named);
  });
});

describe('an address', () => {
  it.each([
    'Buy GPUs at evil.example!',
    'evil.example',
    'https://evil',
    'see www.evil',
    'cheap-gpus.com',
    'a.b.example.org/x',
    'EVIL.COM',
  ])('is detected in %s', (text) => {
    expect(addressIn(text)).not.toBeNull();
  });

  it.each([
    'llama.cpp',
    'ik_llama.cpp',
    'F.sdpa + mask',
    'torch.compile',
    'candle.rs',
    'transformers.js',
    'model.pt',
    'v0.9.dev',
    'example.csv',
    'Qwen2.5',
    '0.19.2rc1.dev21+g89',
    'org/example-8b',
    'Example.Combined',
    'wiki.test.raw',
    'a.company',
  ])('is not detected in %s', (text) => {
    expect(addressIn(text)).toBeNull();
  });
});

describe('the name of an account', () => {
  it.each([
    'admin',
    'Admin',
    'ADMIN ',
    'a-d-m-i-n',
    'adm1n',
    'àdmin',
    'аԁміп',
    'ΑΔMIN'.toLowerCase(),
    'ᴀdmin',
    'Inferboard',
    'lnferboard',
    'infer board',
    'sample_data',
    'import-mlperf',
    'Import MLPerf',
    'lmport_lab',
    'r00t',
    '$upport',
    'аdmin',
    'admin\u200b',
    'ａｄｍｉｎ',
    'gpus.example',
    '...',
    '-',
  ])('cannot be %j', (name) => {
    expect(AccountNameSchema.safeParse(name).success).toBe(false);
  });

  it.each([
    'lab-42',
    'The Admins of Lab 3',
    'important lab',
    'reimport',
    'administration of things',
    'Яндекс',
    '通义',
    'stranger 10',
    "O'Brien & co",
    'a.b',
  ])('can be %j', (name) => {
    expect(AccountNameSchema.parse(name)).toBe(name);
    expect(isReservedName(name)).toBe(false);
  });

  it.each([
    ['Lab-42', 'lab 42'],
    ['lab.42', 'LAB_42'],
    ['José', 'jose'],
    ['хор', 'xop'],
    ['lab-l0', 'lab-1o'],
    ['ﬁnch', 'finch'],
    ['łab', 'lab'],
  ])('%j and %j have the same key', (a, b) => {
    expect(nameKey(a)).toBe(nameKey(b));
  });

  it.each([
    ['lab 1', 'lab 2'],
    ['ab', 'abc'],
    ['通', '义'],
    ['a b', 'ab'],
  ])('%j and %j have different keys', (a, b) => {
    expect(nameKey(a)).not.toBe(nameKey(b));
  });
});
