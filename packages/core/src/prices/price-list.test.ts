import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extendCatalogue } from '../catalogue/additions/extend.ts';
import { matchGpu } from '../filters/filters.ts';
import {
  builtInPrices,
  choosePrices,
  nameOfMatch,
  parsePriceList,
  priceOf,
  readPriceList,
  statedPrice,
  toPriceFile,
} from './price-list.ts';

const h100 = { gpu_id: 'h100-sxm', gpu_family: 'h100', gpu_name: 'H100 SXM' };
const file = {
  as_of: '2026-08-15',
  source: { title: 'A list', url: 'https://example.com/list' },
  tiers: { retail: 'for a customer', owned: 'cost of ownership' },
  default_tier: 'retail',
  gpus: { h100: { retail: 2, owned: 1 }, 'h100 pcie': { retail: 1.5, owned: null } },
};

describe('the price of a system', () => {
  const list = readPriceList(file);
  const gpus = (tier: string | null = null, ...own: Parameters<typeof statedPrice>[]) =>
    choosePrices(
      list,
      tier,
      own.map((one) => statedPrice(...one)),
    ).gpus;

  it('is that of its GPU, otherwise that of the family', () => {
    const pcie = { gpu_id: 'h100-pcie', gpu_family: 'h100', gpu_name: 'H100 PCIe' };
    expect(priceOf(gpus(), pcie)).toMatchObject({ gpu: 'h100-pcie', usdPerHour: 1.5, tier: 'retail' });
    expect(priceOf(gpus(), h100)).toMatchObject({ gpu: 'h100', usdPerHour: 2, asOf: '2026-08-15' });
    expect(priceOf(gpus('owned'), pcie)).toMatchObject({ gpu: 'h100', usdPerHour: 1 });
    expect(priceOf(gpus(), { ...h100, gpu_id: null })).toMatchObject({ gpu: 'h100' });
    expect(priceOf(gpus(), { gpu_id: 'l4', gpu_family: 'l4', gpu_name: 'L4' })).toBeNull();
  });

  it('is the stated price before that of the list, which has a date and a source', () => {
    const pcie = { gpu_id: 'h100-pcie', gpu_family: 'h100', gpu_name: 'H100 PCIe' };
    expect(priceOf(gpus(null, ['h100', 3]), pcie)).toEqual({
      ...{ gpu: 'h100', match: { by: 'family', family: 'h100' }, usdPerHour: 3 },
      ...{ tier: null, asOf: null, source: null },
    });
    const unknown = { gpu_id: null, gpu_family: null, gpu_name: 'Frobnicator 9000' };
    expect(priceOf(gpus(null, ['frobnicator 9000', 4]), unknown)?.usdPerHour).toBe(4);
  });

  it('is found for a GPU that was added to the catalogue after the list was read', () => {
    const early = readPriceList({ ...file, gpus: { 'Frobnicator 9k': { retail: 5 } } });
    const system = { gpu_id: 'frobnicator-9000', gpu_family: 'frobnicator-9000', gpu_name: 'Acme Frobnicator' };
    const price = () => priceOf(choosePrices(early, null, []).gpus, system);
    expect(price()).toBeNull();
    const facts = {
      ...{ name: 'Frobnicator 9000', vendor: 'amd', architecture: 'Frob', formFactor: 'PCIe', memoryGb: 96 },
      ...{ memoryType: 'HBM3', memoryBandwidthGbs: 2000 },
    };
    extendCatalogue([{ kind: 'gpu', id: 'frobnicator-9000', facts, aliases: ['Frobnicator 9k'] }]);
    expect(price()).toMatchObject({ gpu: 'frobnicator-9000', usdPerHour: 5 });
    extendCatalogue([]);
  });
});

it.each([
  [{ ...file, default_tier: 'free' }, 'default_tier: "free" is not in tiers'],
  [{ ...file, gpus: { h100: { spot: 1 } } }, 'gpus.h100.spot: the tier is not in tiers'],
  [{ ...file, gpus: { h100: { retail: 0 } } }, 'gpus.h100.retail: must be above 0'],
  [{ ...file, gpus: { h100: { retail: 1 }, H100: { retail: 2 } } }, 'gpus.H100: is the same GPU as "h100"'],
  [{ ...file, as_of: 'yesterday' }, 'as_of: must be a day such as 2026-08-15'],
  [[], 'the file: Invalid input: expected object, received array'],
])('rejects an invalid list: %j', (content, message) => {
  expect(() => readPriceList(content)).toThrow(message);
});

it('reports all errors of a list at once', () => {
  const { as_of: _, ...undated } = { ...file, gpus: { h100: { retail: -1, owned: 0 } } };
  expect(parsePriceList(undated)).toMatchObject({
    faults: [{ path: ['as_of'] }, { path: ['gpus', 'h100', 'retail'] }, { path: ['gpus', 'h100', 'owned'] }],
  });
  const gpus = { h100: { spot: 1 }, H100: { retail: 1 } };
  expect(parsePriceList({ ...file, default_tier: 'free', gpus })).toEqual({
    faults: [
      { code: 'value_unknown', path: ['default_tier'], message: '"free" is not in tiers' },
      { code: 'value_unknown', path: ['gpus', 'h100', 'spot'], message: 'the tier is not in tiers' },
      { code: 'fact_repeated', path: ['gpus', 'H100'], message: 'is the same GPU as "h100"' },
    ],
  });
});

it('writes a list that it can read', () => {
  expect(readPriceList(toPriceFile(builtInPrices))).toEqual(builtInPrices);
});

it('lists only GPUs of the catalogue, with the prices of the source', () => {
  expect(builtInPrices.gpus.filter(({ match }) => match.by === 'name')).toEqual([]);
  const path = new URL('../../../../../shared/public-results/gpu-prices.json', import.meta.url);
  if (!existsSync(path)) return;
  const source = JSON.parse(readFileSync(path, 'utf8')) as {
    as_of: string;
    gpus: Record<string, Record<string, number | null>>;
  };
  expect(builtInPrices.asOf).toBe(source.as_of);
  const written = Object.entries(source.gpus).map(([gpu, { hyperscaler, neocloud, retail }]) => [
    nameOfMatch(matchGpu(gpu)),
    ...[hyperscaler ?? null, neocloud ?? null, retail ?? null],
  ]);
  expect(
    builtInPrices.gpus.map(({ gpu, usdPerHour: { hyperscaler, neocloud, retail } }) => [
      ...[gpu, hyperscaler ?? null, neocloud ?? null, retail ?? null],
    ]),
  ).toEqual(written);
});
