import { expect, test } from 'vitest';
import { pinTarget } from './pin-target.ts';
import { createPolicy } from './policy.ts';

const policy = createPolicy({ contact: 'https://bench.example/contact', allowCidrs: [] });
const leadingTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address }));

test('returns the origin and a shared name of the address for two host names', async () => {
  const lookup = leadingTo('192.0.43.8', '192.0.43.9');
  const one = await pinTarget('https://LLM.example.com:443/v1/models', policy, { lookup });
  const other = await pinTarget('https://llm.other.example.org/', policy, { lookup: leadingTo('192.0.43.8') });
  expect(one.names).toEqual(['https://llm.example.com', 'address 192.0.43.8 443']);
  expect(other.names).toEqual(['https://llm.other.example.org', 'address 192.0.43.8 443']);
  // Must not use the second address, which was not counted.
  expect(await one.lookup('llm.example.com')).toEqual([{ address: '192.0.43.8' }]);
});

test.each([
  ['2606:4700:0000::0001', '2606:4700::1'],
  ['2606:4700:0:0:0:0:0:1', '2606:4700::1'],
])('counts %s as one address', async (address) => {
  const { names } = await pinTarget('https://llm.example.com', policy, { lookup: leadingTo(address) });
  expect(names[1]).toBe('address 2606:4700:0:0:0:0:0:1 443');
});

test('rejects a forbidden address before it counts the request', async () => {
  const pinned = pinTarget('https://llm.example.com', policy, { lookup: leadingTo('10.0.0.1') });
  await expect(pinned).rejects.toMatchObject({ code: 'address_not_allowed' });
});
