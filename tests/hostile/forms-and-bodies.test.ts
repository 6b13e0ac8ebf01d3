import { describe, expect, it } from 'vitest';
import { adminKey } from '../../apps/api/src/testing/index.ts';
import { expectRule, multipart, multipartType, type Part, sglangLine } from '../support/hostile.ts';
import { authorization, useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { look, submit } = useHostileApp();

describe('forms', () => {
  const whole: Part[] = [
    { name: 'artifact', value: sglangLine(), filename: 'a.json' },
    { name: 'model', value: 'unspecified' },
    { name: 'gpu', value: 'unspecified' },
    { name: 'quantization', value: 'bf16' },
  ];
  const refused: [string, string, string?][] = [
    ['an empty body', ''],
    ['a body without an end', multipart(whole, { end: false })],
    ['a body without a boundary', multipart(whole), 'multipart/form-data'],
    ['another boundary', multipart(whole), 'multipart/form-data; boundary=other'],
    ['a body without parts', multipart([])],
    ['a body without an artifact', multipart(whole.slice(1))],
    ['an empty artifact', multipart([{ name: 'artifact', value: '' }, ...whole.slice(1)])],
    ['two artifacts', multipart([...whole, { name: 'artifact', value: sglangLine(1), filename: 'b.json' }])],
    ['a repeated field', multipart([...whole, { name: 'model', value: 'Llama-3.1-8B' }])],
    ['a file in a text field', multipart([...whole, { name: 'notes', value: 'x', filename: 'n.txt' }])],
    ['__proto__', multipart([...whole, { name: '__proto__', value: 'x' }])],
    ['constructor', multipart([...whole, { name: 'constructor', value: 'x' }])],
    ['an unknown field', multipart([...whole, { name: 'modle', value: 'x' }])],
    ['U+0000 in a field', multipart([...whole, { name: 'notes', value: 'a\u0000b' }])],
    ['U+0000 in a URL', multipart([...whole, { name: 'source_url', value: 'http://a/\u0000' }])],
    ['a key in a field', multipart([...whole, { name: 'api_key', value: adminKey }])],
  ];
  it.each(refused)('rejects %s', async (_, body, type = multipartType) => {
    const seen = await submit(body, 'dry_run=true', { 'content-type': type });
    expectRule(seen, { secrets: [adminKey] });
    expect(seen.status, seen.text.slice(0, 200)).toBe(422);
  });

  it('names at most a hundred unknown fields', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `k${i}`, value: 'x' }));
    const seen = await submit(multipart([...whole, ...many]), 'dry_run=true', { 'content-type': multipartType });
    expectRule(seen);
    expect(seen.text.length).toBeLessThan(50_000);
  });
});

describe('accounts', () => {
  const create = (body: string | Uint8Array, type: string | null = 'application/json') =>
    look('/v1/accounts', {
      method: 'POST',
      headers: { authorization, ...(type === null ? {} : { 'content-type': type }) },
      body: typeof body === 'string' && type !== null ? body : Uint8Array.from(Buffer.from(body)),
    });
  it.each<[string, string | Uint8Array, (string | null)?]>([
    ['an empty body', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1'],
    ['a broken object', '{'],
    ['8 000 levels of nesting', `{"name":${'['.repeat(8_000)}`],
    ['a repeated key', '{"name":"twice-a","name":"twice-b"}'],
    ['__proto__', '{"__proto__":{"x":1},"name":"p"}'],
    ['constructor', '{"constructor":1,"name":"c"}'],
    ['scopes chosen by the client', '{"name":"x","scopes":["admin"]}'],
    ['U+0000', '{"name":"a\\u0000"}'],
    ['a lone surrogate', '{"name":"a\\ud800"}'],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"name":"a'), 0xff, ...Buffer.from('"}')])],
    ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
    ['a name that looks like another', '{"name":"adm\\u200ein"}'],
    ['a number as a name', '{"name":5}'],
    ['2 000 characters', `{"name":"${'x'.repeat(2000)}"}`],
  ])('rejects %s', async (_, body, type) => {
    const seen = await create(body, type);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(422);
  });

  it.each<[string, string, string | null]>([
    ['the content type text/plain', '{"name":"by-text"}', 'text/plain'],
    ['a body without a content type', '{"name":"by-nothing"}', null],
    ['a form', 'name=x', 'application/x-www-form-urlencoded'],
  ])('accepts or rejects %s, without a server error', async (_, body, type) => {
    const seen = await create(body, type);
    expectRule(seen);
    expect([201, 415, 422]).toContain(seen.status);
  });

  it('stops reading a body above the limit', async () => {
    const seen = await create(`{"name":"${'x'.repeat(20 * 1024 * 1024)}"}`);
    expectRule(seen);
    expect(seen.status).toBe(413);
  });
});
