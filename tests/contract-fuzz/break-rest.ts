import fc from 'fast-check';
import { type Break, type Broken, isProbe } from './breaks.ts';
import { hostileTexts } from './hostile-texts.ts';
import { bearer } from './valid.ts';

const badKey: Break = ({ service, operation }) => {
  if (isProbe(operation)) return null;
  const { submit, revoked } = service.keys;
  const headers = [
    bearer('ib_000000000000000000000000000000000000'),
    bearer(revoked),
    bearer(`${submit}x`),
    bearer(`${submit} ${submit}`),
    bearer(submit.toLowerCase()),
    bearer(''),
    bearer('\u00e9'.repeat(30)),
    bearer("' or 1=1 --".padEnd(40)),
    bearer('x'.repeat(4000)),
    { authorization: '' },
    { authorization: submit },
    { authorization: `Basic ${Buffer.from(`a:${submit}`).toString('base64')}` },
  ];
  return (call) =>
    fc.constantFrom(...headers).map(
      ({ authorization }): Broken => ({
        call: { ...call, headers: { ...call.headers, authorization } },
        how: `the key ${authorization.slice(0, 20)}`,
        statuses: [401],
        named: [],
      }),
    );
};

const noKey: Break = ({ operation }) => {
  if (operation.scopes === null) return null;
  // A session can be started with a sign-in link instead of a key; a random link is unknown.
  const statuses = operation.operationId === 'createSession' ? [401, 404] : [401];
  return ({ headers: { authorization: _, ...headers }, ...call }) =>
    fc.constant<Broken>({ call: { ...call, headers }, how: 'no key', statuses, named: [] });
};

const wrongScope: Break = ({ service, operation: { scopes } }) => {
  if (scopes === null || scopes.length === 0) return null;
  const asker = scopes.includes('submit') ? 'run' : 'submit';
  return (call) =>
    fc.constant<Broken>({
      call: { ...call, headers: { ...call.headers, ...bearer(service.keys[asker]) } },
      how: `a key with ${asker}`,
      statuses: [403],
      named: [],
    });
};

const wrongPath: Break = ({ operation }) => {
  const inPath = operation.parameters.filter(({ in: place }) => place === 'path');
  if (inPath.length === 0) return null;
  // Without dot segments: servers resolve them, so that the path is that of another operation.
  const ids = [
    'sub_0',
    'sys_ffffffffffff',
    'key_1',
    'x',
    '%2F',
    '..%2f..%2fetc',
    ';',
    'x'.repeat(3000),
    'SUB_1',
    '0',
    '-1',
  ];
  const texts = hostileTexts.map(({ encoded }) => encoded.replaceAll('/', '%2F'));
  return (call) =>
    fc.tuple(fc.constantFrom(...ids, ...texts), fc.constantFrom(...inPath)).map(([id, { name }]): Broken => {
      const path = operation.path.replace(`{${name}}`, id).replace(/\{[^}]+\}/g, 'x');
      return { call: { ...call, path }, how: `${name} ${id.slice(0, 30)}`, statuses: [404, 405, 422], named: [] };
    });
};

const wrongMethod: Break = ({ service, operation }) => {
  const here = service.operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE', 'M-SEARCH', 'QUERY'].filter(
    (method) => !here.includes(method),
  );
  return (call) =>
    fc.constantFrom(...methods).map(
      (method): Broken => ({
        call: { ...call, method, body: method === 'GET' ? null : call.body },
        how: `${method} where it is ${here.join(', ')}`,
        statuses: [405],
        named: [],
      }),
    );
};

/** A CORS preflight request with arbitrary headers. */
const options: Break = () => (call) =>
  fc.constantFrom('GET', 'POST', 'DELETE', '\u00ff', '').map(
    (wanted): Broken => ({
      call: {
        ...call,
        method: 'OPTIONS',
        body: null,
        headers: { origin: 'https://elsewhere.example', 'access-control-request-method': wanted },
      },
      how: 'OPTIONS',
      statuses: null,
      named: [],
    }),
  );

const hostileHeader: Break = () => {
  const long = 'x'.repeat(6000);
  const headers: Record<string, string>[] = [
    { accept: long },
    { 'accept-encoding': `${'gzip,'.repeat(1000)}` },
    { 'x-request-id': '\u00ff\u00fe' },
    { 'x-request-id': long },
    { 'if-none-match': '"'.repeat(3000) },
    { 'if-none-match': `${'W/"x",'.repeat(1000)}` },
    { 'if-none-match': '*' },
    { 'if-match': '"x"' },
    { 'if-match': '*' },
    { range: 'bytes=0-10' },
    { range: 'bytes=-0' },
    { range: 'bytes=99999999999999999999-' },
    { 'if-range': '"x"', range: 'bytes=0-1' },
    { 'if-modified-since': 'Thu, 99 Foo 99999' },
    { range: `bytes=${'0-1,'.repeat(1000)}` },
    { te: 'nonsense' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'nonsense' },
    { host: '[::1' },
    { host: 'a'.repeat(300) },
    { forwarded: 'for="[::"' },
    { 'x-forwarded-for': long },
    { 'idempotency-key': '' },
    { 'idempotency-key': '\u00e9' },
    { 'idempotency-key': long },
    { 'idempotency-key': "' or 1=1" },
    { cookie: `${'a=b;'.repeat(1500)}` },
    { traceparent: '00-zz' },
    { expect: 'the impossible' },
    { upgrade: 'websocket', connection: 'upgrade' },
    { 'http2-settings': 'x', upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings' },
  ];
  return (call) =>
    fc.constantFrom(...headers).map(
      (header): Broken => ({
        call: { ...call, headers: { ...call.headers, ...header } },
        how: `the header ${Object.keys(header)[0]}`,
        statuses: null,
        named: [],
        isUnrouted: 'host' in header || 'expect' in header,
      }),
    );
};

export const restBreaks: readonly Break[] = [
  badKey,
  noKey,
  wrongScope,
  wrongPath,
  wrongPath,
  wrongMethod,
  options,
  hostileHeader,
];
