import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpError, ResponseReader } from './http-response.ts';
import { cutsOf, inDirtyBuffer } from './testing/cuts.ts';

interface Seen {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  body: string;
  isEnded: boolean;
  keepsAlive: boolean;
  left: number;
}

function readAll(pieces: readonly (Buffer | string)[], isClosed = false): Seen {
  const seen: Seen = { status: null, headers: {}, body: '', isEnded: false, keepsAlive: false, left: 0 };
  const body: Buffer[] = [];
  const reader = new ResponseReader({
    onHead: ({ status, headers }) => {
      seen.status = status;
      seen.headers = headers;
    },
    onBody: (bytes, start, end) => body.push(Buffer.from(bytes.subarray(start, end))),
    onEnd: () => {
      seen.isEnded = true;
    },
  });
  for (const piece of pieces) {
    const { bytes, start, end } = inDirtyBuffer(Buffer.from(piece));
    seen.left += end - reader.push(bytes, start, end);
  }
  if (isClosed) reader.finish();
  seen.keepsAlive = reader.keepsAlive;
  seen.body = Buffer.concat(body).toString();
  return seen;
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a response', () => {
  test('in chunks is joined, without extensions and trailers', () => {
    const seen = readAll([`${chunked}5;name=value\r\nhello\r\nA \r\n, world!!!\r\n0\r\nx-sum: 1\r\n\r\n`]);
    expect(seen).toMatchObject({ status: 200, body: 'hello, world!!!', isEnded: true, keepsAlive: true, left: 0 });
  });

  test('of known length ends with its last byte', () => {
    const seen = readAll(['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 200']);
    expect(seen).toMatchObject({ body: 'hello', isEnded: true, keepsAlive: true, left: 12 });
  });

  test('without a length ends with the connection', () => {
    const pieces = ['HTTP/1.1 200 OK\r\n\r\nhel', 'lo'];
    expect(readAll(pieces)).toMatchObject({ body: 'hello', isEnded: false });
    expect(readAll(pieces, true)).toMatchObject({ body: 'hello', isEnded: true, keepsAlive: false });
  });

  test('that is cut short is incomplete when the connection ends', () => {
    expect(readAll([`${chunked}5\r\nhel`], true).isEnded).toBe(false);
    expect(readAll(['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'], true).isEnded).toBe(false);
    expect(readAll(['HTTP/1.1 200'], true).isEnded).toBe(false);
  });

  test('follows interim responses', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    expect(readAll([`${interim}HTTP/1.1 204 No Content\r\n\r\n`])).toMatchObject({
      status: 204,
      headers: {},
      isEnded: true,
      keepsAlive: true,
    });
  });

  test('may contain bare line feeds, folded lines and repeated headers', () => {
    const seen = readAll(['HTTP/1.1 200\nA: 1\nb: 2\n  3\na: 4\ncontent-length: 2\n\nok']);
    expect(seen.headers).toEqual({ a: '1, 4', b: '2 3', 'content-length': '2' });
    expect(seen).toMatchObject({ body: 'ok', isEnded: true });
  });

  test.each([
    ['HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 0\r\n\r\n', true],
    ['HTTP/1.1 304 Not Modified\r\n\r\n', true],
  ])('%j keeps the connection usable: %s', (text, keepsAlive) => {
    expect(readAll([text])).toMatchObject({ isEnded: true, keepsAlive });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a length that is not a number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['an unknown transfer coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\n\r\n'],
    ['an invalid chunk size', `${chunked}xyz\r\n`],
    ['a chunk without a size', `${chunked}\r\nhello`],
    ['a chunk longer than its size', `${chunked}2\r\nhello\r\n`],
    ['a chunk size beyond the maximum', `${chunked}ffffffffffffffff\r\n`],
    ['an endless line before a chunk', `${chunked}1;${'x'.repeat(2000)}`],
    ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
    ['headers that are too long', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`],
    ['an endless trailer', `${chunked}0\r\n${'z'.repeat(70_000)}`],
  ])('with %s is rejected', (_what, text) => {
    expect(() => readAll([text])).toThrow(HttpError);
  });
});

test('is read the same for any chunks', () => {
  const answers = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }).map((parts) => {
    const framed = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), Buffer.from(part), '\r\n']);
    const bytes = Buffer.concat([...[chunked, ...framed, '0\r\n\r\n'].map((part) => Buffer.from(part))]);
    return { bytes, body: Buffer.concat(parts).toString() };
  });
  fc.assert(
    fc.property(
      answers.chain(({ bytes, body }) => cutsOf(bytes).map((pieces) => ({ pieces, body }))),
      ({ pieces, body }) => {
        expect(readAll(pieces)).toMatchObject({ body, isEnded: true, keepsAlive: true, left: 0 });
      },
    ),
    { numRuns: 300 },
  );
});
