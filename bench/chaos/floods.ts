import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Asked } from './client.ts';

/** Connections that never finish their requests. */
export interface Drip {
  /** Number of connections that the server closed. */
  ended(): number;
  /** First response of each connection, by status. Connections without one are not counted. */
  statuses(): string[];
  stop(): void;
}

const mebibyte = 1024 ** 2;
const post = (key: string, length: number) =>
  `POST /v1/submissions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`;
const most = Buffer.alloc(15 * mebibyte, 0x20);
const beginnings = {
  head: () => ['GET /v1/results HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Drip: '],
  body: (key: string) => [post(key, 1_000_000)],
  rest: (key: string) => [post(key, 16 * mebibyte), most],
};
/** The part that is sent at a byte per second: the whole head, the whole body, or the end of a body of the maximum 16 MiB. */
export type DripPart = keyof typeof beginnings;

/** Opens connections that begin a request and continue at a byte per second. */
export function startDrip(port: number, count: number, part: DripPart, key: string): Drip {
  const statuses: string[] = [];
  let ended = 0;
  const sockets: Socket[] = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const words of beginnings[part](key)) socket.write(words);
    });
    socket.once('data', (bytes) => statuses.push(bytes.toString('latin1').slice(9, 12)));
    socket.on('error', () => {});
    socket.once('close', () => {
      ended += 1;
    });
    return socket;
  });
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1000);
  return {
    ended: () => ended,
    statuses: () => statuses,
    stop: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

const upload = (key: string, body: Buffer, headers: Record<string, string> = {}): Asked => ({
  method: 'POST',
  path: '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16',
  headers: { authorization: `Bearer ${key}`, ...headers },
  body,
});

/** Requests that are small on the wire and large in memory, or just large, with the expected error status. */
export function bombsOf(key: string): { name: string; asked: Asked; expected: string }[] {
  const zeros = Buffer.alloc(512 * mebibyte, 0x20);
  return [
    { name: '64 MiB that say so', asked: upload(key, randomBytes(64 * mebibyte)), expected: '413' },
    {
      name: '64 MiB in chunks, of unknown length',
      asked: upload(key, randomBytes(64 * mebibyte), { 'transfer-encoding': 'chunked' }),
      expected: '413',
    },
    { name: 'gzip of 512 MiB of blanks', asked: upload(key, gzipSync(zeros, { level: 9 })), expected: '413' },
    { name: 'zstd of 512 MiB of blanks', asked: upload(key, zstdCompressSync(zeros)), expected: '413' },
    {
      name: 'gzip within a multipart form',
      asked: upload(
        key,
        Buffer.concat([
          Buffer.from('--b\r\nContent-Disposition: form-data; name="artifact"; filename="a"\r\n\r\n'),
          gzipSync(zeros, { level: 9 }),
          Buffer.from('\r\n--b--\r\n'),
        ]),
        { 'content-type': 'multipart/form-data; boundary=b' },
      ),
      expected: '413',
    },
  ];
}
