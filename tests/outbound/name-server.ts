import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** The addresses of a name, or its CNAME target, for the nth query, from 0. */
export type Zone = Readonly<Record<string, (nth: number) => readonly string[]>>;

export interface NameServer {
  readonly port: number;
  close(): void;
}

const types = { 1: 'A', 5: 'CNAME', 28: 'AAAA' } as const;

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function encodeIpv6(address: string): Buffer {
  // The URL parser writes every IPv6 notation as hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeRecord(owner: string, value: string): { type: string; owner: string; bytes: Buffer } {
  const record = (code: number, data: Buffer) => {
    const head = Buffer.alloc(10);
    head.writeUInt16BE(code, 0);
    head.writeUInt16BE(1, 2);
    head.writeUInt16BE(data.length, 8);
    return Buffer.concat([encodeName(owner), head, data]);
  };
  if (isIPv6(value)) return { type: 'AAAA', owner, bytes: record(28, encodeIpv6(value)) };
  if (/^[\d.]+$/.test(value)) return { type: 'A', owner, bytes: record(1, Buffer.from(value.split('.').map(Number))) };
  return { type: 'CNAME', owner, bytes: record(5, encodeName(value)) };
}

/** A name server that can change its response with every query. Its responses have a TTL of 0. */
export async function startNameServer(zone: Zone, port: number): Promise<NameServer> {
  const asked = new Map<string, number>();

  function answers(name: string, type: string): Buffer[] {
    const key = `${name} ${type}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    const records = (zone[name]?.(nth) ?? []).map((value) => ({ ...encodeRecord(name, value), value }));
    const aliases = records.filter((record) => record.type === 'CNAME');
    return [
      ...records.filter((record) => record.type === type).map(({ bytes }) => bytes),
      ...aliases.flatMap(({ bytes, value }) => [bytes, ...answers(value, type)]),
    ];
  }

  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const known = name in zone;
    const records = known ? answers(name, types[type as keyof typeof types] ?? '') : [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(known ? 0x8580 : 0x8583, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}

/** Queries that server, without the system's resolver. */
export function createLookup({ port }: NameServer): (host: string) => Promise<{ address: string }[]> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return found.map((address) => ({ address }));
  };
}
