import type { Zone } from './name-server.ts';

/**
 * The target that a client without protection would reach: this machine, another forbidden address, or the one allowed host,
 * which can redirect.
 */
export type Leads = 'loopback' | 'elsewhere' | 'allowed';

export interface HostileCase {
  readonly url: string;
  readonly leads: Leads;
}

/** Public from the guard's view; in the namespace, the only host that may be reached. */
export const publicAddress = '93.184.216.34';

export interface Ports {
  readonly allowed: number;
  readonly canary: number;
}

const leadsTo = (address: string): Leads => (/^(127|0)\./.test(address) ? 'loopback' : 'elsewhere');

const forbidden = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.1.2.3',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];

const withDigits = (text: string, from: (digit: number) => string): string =>
  text.replace(/\d/g, (digit) => from(Number(digit)));

/** One address in all notations that some parser accepts. */
function notations(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`);
  const hex = [a, b, c, d].map((part) => `0x${part.toString(16)}`);
  return [
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0X${whole.toString(16).toUpperCase()}`,
    `0${whole.toString(8)}`,
    octal.join('.'),
    hex.join('.'),
    [a, octal[1], hex[2], d].join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    octal.map((part) => `000000${part}`).join('.'),
    withDigits(address, (digit) => String.fromCodePoint(0xff10 + digit)),
    withDigits(address, (digit) => (digit === 0 ? '⓪' : String.fromCodePoint(0x245f + digit))),
    withDigits(address, (digit) => String.fromCodePoint(0x1d7ce + digit)),
    withDigits(address, (digit) => `%3${digit}`),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '.'),
    address.replaceAll('.', '%2E'),
    `${address}.`,
  ];
}

const ipv6 = [
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', 'loopback'],
  ['::', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::FFFF:7F00:1', 'loopback'],
  ['0:0:0:0:0:ffff:127.0.0.1', 'loopback'],
  ['::ffff:0:127.0.0.1', 'loopback'],
  ['::1%25lo', 'loopback'],
  ['::1%lo', 'loopback'],
  ['::ffff:10.0.0.1', 'elsewhere'],
  ['::ffff:169.254.169.254', 'elsewhere'],
  ['::ffff:a9fe:a9fe', 'elsewhere'],
  ['::169.254.169.254', 'elsewhere'],
  ['64:ff9b::127.0.0.1', 'elsewhere'],
  ['64:ff9b::169.254.169.254', 'elsewhere'],
  ['64:ff9b:1::10.0.0.1', 'elsewhere'],
  ['2002:7f00:1::', 'elsewhere'],
  ['2002:a9fe:a9fe::1', 'elsewhere'],
  ['2001:0:7f00:1::1', 'elsewhere'],
  ['2001::80ff:fffe', 'elsewhere'],
  ['2606:4700::5efe:127.0.0.1', 'elsewhere'],
  ['100::1', 'elsewhere'],
  ['2001:2::1', 'elsewhere'],
  ['2001:db8::1', 'elsewhere'],
  ['3fff::1', 'elsewhere'],
  ['4000::1', 'elsewhere'],
  ['5f00::1', 'elsewhere'],
  ['fc00::1', 'elsewhere'],
  ['fd00::1', 'elsewhere'],
  ['fd00:ec2::254', 'elsewhere'],
  ['fd20:ce::254', 'elsewhere'],
  ['fe80::1', 'elsewhere'],
  ['fe80::1%25lo', 'elsewhere'],
  ['fec0::1', 'elsewhere'],
  ['ff02::1', 'elsewhere'],
] as const;

/** Texts that parsers disagree on: two of them see different hosts. The port is the canary's. */
const confusions = [
  'http://allowed.example@127.0.0.1:{port}/',
  'http://allowed.example:80@127.0.0.1:{port}/',
  'http://allowed.example%40127.0.0.1:{port}/',
  'http://allowed.example%00@127.0.0.1:{port}/',
  'http://allowed.example&@127.0.0.1:{port}/',
  'http://allowed.example;@127.0.0.1:{port}/',
  'http://user:pass@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}#@allowed.example/',
  'http://127.0.0.1:{port}?@allowed.example/',
  'http://127.0.0.1:{port}\\@allowed.example/',
  'http://127.0.0.1:{port}/@allowed.example/',
  'http://127.0.0.1:{port}/#allowed.example',
  'http:\\\\127.0.0.1:{port}\\',
  'http:127.0.0.1:{port}',
  'http:/127.0.0.1:{port}',
  'http:////127.0.0.1:{port}/',
  ' http://127.0.0.1:{port}/',
  '\u0000http://127.0.0.1:{port}/',
  'ht\ntp://127.0.\r\n0.1:{port}/',
  'http://127.0.\t0.1:{port}/',
  'HTTP://127.0.0.1:{port}/',
  'http://127.0.0.1:00{port}/',
  'http://[::1]:{port}@allowed.example:{port}/',
  'http://allowed.example@[::1]:{port}/',
  'http://allowed.example,127.0.0.1:{port}/',
  'http://127.0.0.1,allowed.example:{port}/',
  '//127.0.0.1:{port}/',
  'http://127.0.0.1:{port}:80/',
];

const schemes = [
  'ftp://127.0.0.1:{port}/',
  'ws://127.0.0.1:{port}/',
  'wss://127.0.0.1:{port}/',
  'gopher://127.0.0.1:{port}/_GET%20/%0d%0a',
  'dict://127.0.0.1:{port}/info',
  'ldap://127.0.0.1:{port}/',
  'tftp://127.0.0.1:{port}/',
  'file:///etc/hostname',
  'file://127.0.0.1/etc/hostname',
  'jar:http://127.0.0.1:{port}!/',
  'view-source:http://127.0.0.1:{port}/',
  'blob:http://127.0.0.1:{port}/1',
  'data:text/plain,x',
  'javascript:fetch("http://127.0.0.1:{port}/")',
];

const localNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost.localdomain',
  'api.localhost',
  'ip6-localhost',
  'locaLhost',
  'ⓛocalhost',
  'local\u00adhost',
  '%6cocalhost',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
  'METADATA.GOOGLE.INTERNAL',
  'metadata.goog',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'printer.local',
  'vault.internal',
  'router.home.arpa',
];

const always =
  (...values: string[]) =>
  () =>
    values;

/** Names of an untrusted name server, with its responses. */
function resolvedNames(): Zone {
  const zone: Record<string, (nth: number) => readonly string[]> = {};
  forbidden.forEach((address, index) => {
    zone[`plain-${index}.evil.example`] = always(address);
  });
  for (const [index, address] of [
    '::1',
    '::ffff:127.0.0.1',
    'fd00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
  ].entries()) {
    zone[`six-${index}.evil.example`] = always(address);
  }
  return {
    ...zone,
    'public-first.evil.example': always(publicAddress, '127.0.0.1'),
    'private-first.evil.example': always('127.0.0.1', publicAddress),
    'one-of-many.evil.example': always(publicAddress, '8.8.8.8', '1.1.1.1', '10.0.0.1', '9.9.9.9'),
    'both-families.evil.example': always(publicAddress, '::1'),
    'mapped-beside.evil.example': always(publicAddress, '::ffff:10.0.0.1'),
    'alias.evil.example': always('plain-4.evil.example'),
    'alias-to-local.evil.example': always('localhost'),
    'alias-of-alias.evil.example': always('alias.evil.example'),
    'empty.evil.example': always(),
  };
}

/** Names with a different response to each query. */
const rebindingNames: Zone = {
  'every-other.evil.example': (nth) => [nth % 2 === 0 ? publicAddress : '127.0.0.1'],
  'every-other-late.evil.example': (nth) => [nth % 2 === 1 ? publicAddress : '127.0.0.1'],
  'once.evil.example': (nth) => [nth === 0 ? publicAddress : '169.254.169.254'],
  'twice.evil.example': (nth) => [nth < 2 ? publicAddress : '10.0.0.1'],
  'every-third.evil.example': (nth) => [nth % 3 === 2 ? '127.0.0.1' : publicAddress],
  'grows.evil.example': (nth) => (nth === 0 ? [publicAddress] : [publicAddress, '127.0.0.1']),
  'other-family.evil.example': (nth) => (nth === 0 ? [publicAddress] : ['::1']),
};

/** Whether the host of a case is one of those names. */
export function isRebinding({ url, leads }: HostileCase): boolean {
  return leads !== 'allowed' && Object.keys(rebindingNames).some((name) => url.includes(`//${name}:`));
}

export function createZone(allowedAddress: string): Zone {
  return {
    ...resolvedNames(),
    ...rebindingNames,
    localhost: always('127.0.0.1'),
    'allowed.example': always(allowedAddress),
    'other.example': always(allowedAddress),
  };
}

/** Redirect targets of the allowed host. */
function redirectTargets({ canary }: Ports): string[] {
  return [
    `http://127.0.0.1:${canary}/`,
    `http://2130706433:${canary}/`,
    `http://0x7f.1:${canary}/`,
    `http://0:${canary}/`,
    `http://[::1]:${canary}/`,
    `http://[::ffff:127.0.0.1]:${canary}/`,
    `//127.0.0.1:${canary}/`,
    `http://localhost:${canary}/`,
    `http://169.254.169.254:${canary}/latest/meta-data/`,
    `http://10.0.0.1:${canary}/`,
    `http://plain-4.evil.example:${canary}/`,
    `http://every-other.evil.example:${canary}/`,
    `http://user:pass@127.0.0.1:${canary}/`,
  ];
}

/** All cases, with the ports of this run. */
export function createCorpus(ports: Ports): HostileCase[] {
  const at = (host: string) => `http://${host}:${ports.canary}/`;
  const fill = (text: string) => text.replaceAll('{port}', String(ports.canary));
  const allowed = `http://allowed.example:${ports.allowed}`;
  const redirect = (status: number, to: string) => `${allowed}/redirect/${status}?to=${encodeURIComponent(to)}`;
  const names = [...Object.keys(resolvedNames()), ...Object.keys(rebindingNames)];
  const cases: [Leads, string[]][] = [
    ...forbidden.map((address): [Leads, string[]] => [leadsTo(address), [at(address)]]),
    ...['127.0.0.1', '169.254.169.254', '10.0.0.1', '168.63.129.16'].map((address): [Leads, string[]] => [
      leadsTo(address),
      notations(address).map(at),
    ]),
    ...ipv6.map(([address, leads]): [Leads, string[]] => [leads, [at(`[${address}]`)]]),
    ['loopback', [...confusions, ...schemes].map(fill)],
    ['loopback', ['0', '127.1', '127.0.1', '0x0', '00'].map(at)],
    ['elsewhere', [...localNames, ...names].map(at)],
    ['elsewhere', ['22', '25', '6379'].map((port) => `http://allowed.example:${port}/`)],
    ['allowed', redirectTargets(ports).map((to) => redirect(302, to))],
    ['allowed', [300, 301, 303, 305, 307, 308].map((status) => redirect(status, `http://127.0.0.1:${ports.canary}/`))],
    ['allowed', [`${allowed}\\@127.0.0.1:${ports.canary}/`, `${allowed}/..//127.0.0.1:${ports.canary}/`]],
    ['allowed', [`${allowed}/refresh`, `${allowed}/alt-svc`]],
  ];
  return cases.flatMap(([leads, urls]) => urls.map((url) => ({ url, leads })));
}
