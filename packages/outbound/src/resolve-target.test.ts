import { expect, test, vi } from 'vitest';
import { OutboundFailure, OutboundRefusal } from './failures.ts';
import { createPolicy } from './policy.ts';
import { resolveTarget } from './resolve-target.ts';

const contact = 'https://bench.example/contact';
const strict = createPolicy({ contact });
const withNetwork = createPolicy({ contact, allowCidrs: ['10.1.0.0/16'] });
const answering =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address }));

const refusalOf = async (work: Promise<unknown>): Promise<OutboundRefusal> => {
  const error = await work.catch((reason: unknown) => reason);
  return error instanceof OutboundRefusal ? error : expect.fail(`not refused: ${String(error)}`);
};

test('resolves a name to one checked address, with the names for TLS and HTTP', async () => {
  const lookup = answering('93.184.216.34', '2606:4700::1');
  expect(await resolveTarget('https://api.example.com:8443/v1', strict, { lookup })).toEqual({
    host: 'api.example.com',
    port: 8443,
    address: '93.184.216.34',
    family: 4,
    tls: true,
    servername: 'api.example.com',
    authority: 'api.example.com:8443',
    addresses: [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ],
  });
});

test('does not look up an IP address', async () => {
  const lookup = vi.fn(answering('10.0.0.1'));
  const target = await resolveTarget('https://[2606:4700::1]/', strict, { lookup });
  expect(target).toMatchObject({ address: '2606:4700::1', family: 6, servername: '', authority: '[2606:4700::1]' });
  expect(lookup).not.toHaveBeenCalled();
});

test('looks up a name once', async () => {
  const lookup = vi.fn(answering('93.184.216.34'));
  await resolveTarget('https://api.example.com/', strict, { lookup });
  expect(lookup.mock.calls).toEqual([['api.example.com']]);
});

test.each([
  ['10.0.0.1'],
  ['93.184.216.34', '10.0.0.1'],
  ['10.0.0.1', '93.184.216.34'],
  ['93.184.216.34', '::ffff:93.184.216.34'],
  ['93.184.216.34', 'fe80::1%eth0'],
  ['0x5db8d822'],
  ['api.example.com'],
  [''],
])('rejects a host with a non-public address among %j, without naming it', async (...addresses) => {
  const error = await refusalOf(resolveTarget('https://api.example.com/', strict, { lookup: answering(...addresses) }));
  expect(error.faults.map(({ code }) => code)).toEqual(['address_not_allowed']);
  expect(error.words).toBe('refused');
  expect(error.message).not.toMatch(/\d+\.\d+|::/);
  expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/\d+\.\d+\./);
  expect(error.detail).toContain(`has the addresses ${addresses.join(', ')}`);
});

test('allows http and high ports depending on the addresses of a name', async () => {
  const url = 'http://gpu.example.com:8123/';
  expect(await resolveTarget(url, withNetwork, { lookup: answering('10.1.2.3') })).toMatchObject({
    tls: false,
    port: 8123,
  });
  const error = await refusalOf(resolveTarget(url, withNetwork, { lookup: answering('10.1.2.3', '93.184.216.34') }));
  expect(error.faults.map(({ code }) => code)).toEqual(['scheme_not_allowed', 'port_not_allowed']);
});

test('reports no answer for a name without an address, and for a failed lookup', async () => {
  for (const lookup of [
    answering(),
    () => Promise.reject(Object.assign(new Error('queryA x'), { code: 'ENOTFOUND' })),
  ]) {
    const error = await resolveTarget('https://api.example.com/', strict, { lookup }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OutboundFailure);
    expect(error).toMatchObject({ message: 'no answer', words: 'no answer' });
  }
});

test('stops waiting for a lookup when the caller aborts', async () => {
  const signal = AbortSignal.timeout(20);
  const work = resolveTarget('https://api.example.com/', strict, { lookup: () => new Promise(() => {}), signal });
  await expect(work).rejects.toMatchObject({ words: 'canceled' });
});

test('looks up all addresses with the system resolver by default', async () => {
  const lookup = vi.fn(answering('93.184.216.34', '10.0.0.1'));
  // Test files share loaded modules.
  vi.resetModules();
  vi.doMock('node:dns/promises', () => ({ lookup }));
  try {
    const loaded = await import('./resolve-target.ts');
    await expect(loaded.resolveTarget('https://api.example.com/', strict)).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
  } finally {
    vi.doUnmock('node:dns/promises');
    vi.resetModules();
  }
  expect(lookup.mock.calls).toEqual([['api.example.com', { all: true, order: 'verbatim' }]]);
});
