import { describe, expect, it } from 'vitest';
import type { Broken } from './breaks.ts';
import { type Document, type Operation, operationsOf } from './document.ts';
import type { Call, Seen } from './http.ts';
import { judge, judgeBroken, judgeValid } from './judge.ts';
import { Schemas } from './schemas.ts';

// A judge that never reports errors would accept any response.

const text = (name: string) => ({ type: 'string', description: name });
const document: Document = {
  components: {
    schemas: {
      Problem: {
        type: 'object',
        properties: { type: text('type'), status: { type: 'integer' }, code: text('code'), errors: { type: 'array' } },
        required: ['type', 'status', 'code'],
      },
      Thing: { type: 'object', properties: { id: text('id') }, required: ['id'] },
    },
  },
  paths: {
    '/v1/things': {
      get: {
        operationId: 'listThings',
        responses: {
          200: {
            description: 'A thing.',
            headers: { ETag: { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          422: {
            description: 'Refused.',
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        },
      },
    },
  },
};
const schemas = new Schemas(document);
const [operation = null] = operationsOf(document) as [Operation];
const call: Call = { method: 'GET', path: '/v1/things', query: [], headers: {}, body: null };

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Seen => ({
  status,
  headers: { 'content-type': 'application/json', etag: '"x"', ...headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ms: 1,
});
const problem = (errors: unknown[], over: object = {}) =>
  answer(
    422,
    { type: 'x', status: 422, code: 'request_invalid', errors, ...over },
    { 'content-type': 'application/problem+json' },
  );
const fault = { code: 'value_invalid', message: 'limit must be a number', parameter: 'limit' };

describe('the response checker', () => {
  it('accepts documented responses', () => {
    expect(judge(schemas, operation, call, answer(200, { id: 'x' }))).toEqual([]);
    expect(judge(schemas, operation, call, problem([fault]))).toEqual([]);
  });

  it.each<[string, Seen, RegExp]>([
    ['a server error', answer(500, {}), /a 500/],
    ['an undocumented status', answer(204, ''), /204 is not documented/],
    ['a body without a required field', answer(200, {}), /off its schema/],
    ['an undocumented field', answer(200, { id: 'x', more: 1 }), /additional/],
    ['another media type', answer(200, 'id', { 'content-type': 'text/plain' }), /media type text\/plain/],
    ['a truncated body', answer(200, '{"id":'), /no JSON/],
    ['a missing header', { ...answer(200, { id: 'x' }), headers: { 'content-type': 'application/json' } }, /ETag/],
    ['a stack trace', answer(200, { id: 'at parse (file:///x.ts:1:1)' }), /inside/],
    ['an error in plain text', answer(422, 'no', { 'content-type': 'text/plain' }), /no problem document/],
    ['an error that names no field', problem([]), /names no fault/],
    ['an error without a location', problem([{ code: 'value_invalid', message: 'no' }]), /names no place/],
    ['an error document with another status', problem([fault], { status: 400 }), /says 400/],
  ])('reports %s', (_, seen, complaint) => {
    expect(judge(schemas, operation, call, seen).join('\n')).toMatch(complaint);
  });

  it('allows errors before routing without a location, but requires the documented format', () => {
    const wire = (errors: unknown[]) =>
      answer(
        400,
        { type: 'x', status: 400, code: 'address_unreadable', errors },
        { 'content-type': 'application/problem+json' },
      );
    expect(judge(schemas, operation, call, wire([{ ...fault, parameter: 'Host' }]))).toEqual([]);
    expect(judge(schemas, operation, call, wire([]))).toEqual(['names no fault']);
  });

  it('reports a valid request that was rejected', () => {
    expect(judgeValid(call, problem([fault]))).toHaveLength(1);
    expect(judgeValid(call, problem([{ code: 'value_unknown', message: 'no', parameter: 'gpu' }]))).toEqual([]);
  });

  it('reports an invalid value that was accepted or not named', () => {
    const broken: Broken = { call, how: '', statuses: [400, 422], named: ['limit'] };
    expect(judgeBroken(broken, answer(200, { id: 'x' }))).toHaveLength(1);
    expect(judgeBroken(broken, problem([{ ...fault, parameter: 'order' }]))).toHaveLength(1);
    expect(judgeBroken(broken, problem([fault]))).toEqual([]);
  });
});
