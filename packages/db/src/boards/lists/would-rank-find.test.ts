import { describe, expect, test } from 'vitest';
import { insertAccount } from '../../accounts/account.ts';
import { type Measurement, resultsOf, useUploads } from '../../testing/uploads.ts';
import { findWouldRanks } from './would-rank-find.ts';

const { database, insert } = useUploads();

let accounts = 0;
async function account(registeredItself: boolean): Promise<string> {
  accounts += 1;
  return (await insertAccount(database().db, `account ${accounts}`, { registeredItself }))?.id ?? '';
}

/** Each version of the engine is a separate system. */
const measured = (version: string, measurements: Measurement[], system: Record<string, unknown> = {}) =>
  resultsOf(measurements, { engine: { name: 'vllm', version }, ...system });

async function wouldRank(...given: Parameters<typeof measured>) {
  const { id } = await insert(measured(...given), { accountId: await account(true) });
  const ranks = await findWouldRanks(database().db, id);
  return ranks.map(({ rank, of, metric, workload }) => [rank, of, metric.name, workload]);
}

/** Creates a board of systems with these output rates. */
async function board(...rates: number[]) {
  for (const [place, output_tok_s] of rates.entries())
    await insert(measured(`1.${place}`, [{ metrics: { output_tok_s } }]));
}

describe('the rank of a provisional result', () => {
  test('follows systems with a better standing value', async () => {
    await board(500, 400, 300);
    // Adds another load of an existing system, and another account's claim at its point.
    await insert(measured('1.2', [{ level: 16, metrics: { output_tok_s: 450 } }]));
    await insert(measured('1.1', [{ metrics: { output_tok_s: 999 } }]), { accountId: await account(false) });
    const ranks = await wouldRank(
      '2',
      [410, 455, 501, 10].map((rate, place) => ({ level: place + 1, metrics: { output_tok_s: rate } })),
    );
    const [metric, workload] = ['output_tok_s_per_gpu', 'chatbot-steady'];
    expect(ranks).toEqual([
      [3, 4, metric, workload],
      [2, 4, metric, workload],
      [1, 4, metric, workload],
      [4, 4, metric, workload],
    ]);
  });

  test('excludes the other results of its system', async () => {
    await board(500, 400);
    expect(await wouldRank('1.0', [{ level: 1, metrics: { output_tok_s: 450 } }])).toEqual([
      [1, 2, 'output_tok_s_per_gpu', 'chatbot-steady'],
    ]);
  });

  test('is first without a board', async () => {
    expect(await wouldRank('2', [{ metrics: { req_s: 3 } }])).toEqual([[1, 1, 'req_s', 'chatbot-steady']]);
    expect(await wouldRank('2', [{ metrics: { ttft_ms_mean: 3 } }])).toEqual([
      [1, 1, 'ttft_ms_mean', 'chatbot-steady'],
    ]);
  });

  test('uses a latency if the board has no other metric', async () => {
    for (const [place, ttft_ms_mean] of [20, 30, 40].entries())
      await insert(measured(`1.${place}`, [{ metrics: { ttft_ms_mean } }]));
    expect(await wouldRank('2', [{ metrics: { ttft_ms_mean: 25, output_tok_s: 100 } }])).toEqual([
      [2, 4, 'ttft_ms_mean', 'chatbot-steady'],
    ]);
  });

  test('uses values of comparable formulas, of the most systems', async () => {
    const decode = (rate: number, formula: string) => ({
      metrics: { decode_tok_s: rate },
      definitions: { decode_tok_s: formula },
    });
    await insert(measured('1.0', [decode(900, 'in_process')]));
    for (const version of ['1.1', '1.2']) await insert(measured(version, [decode(100, 'client')]));
    expect(await wouldRank('2', [decode(50, 'client')])).toEqual([[3, 3, 'decode_tok_s', 'chatbot-steady']]);
    expect(await wouldRank('3', [decode(50, 'in_process')])).toEqual([]);
  });
});

describe('no rank is given to a result', () => {
  test('without the metric of the board', async () => {
    await board(500);
    expect(await wouldRank('2', [{ metrics: { ttft_ms_mean: 3 } }])).toEqual([]);
  });

  test('of a system without a model', async () => {
    expect(await wouldRank('2', [{ metrics: { req_s: 3 } }], { model: 'unspecified' })).toEqual([]);
  });

  test('that is a copy, or that ranks', async () => {
    const metrics = {
      output_tok_s: 512.37,
      ttft_ms_mean: 83.412,
      ttft_ms_p50: 80.93,
      tpot_ms_mean: 14.8235,
      tpot_ms_p50: 14.2219,
    };
    const { id } = await insert(measured('1', [{ metrics }]));
    expect(await findWouldRanks(database().db, id)).toEqual([]);
    expect(await wouldRank('2', [{ metrics }])).toEqual([]);
  });

  test('after the first 20 of its submission', async () => {
    const many = Array.from({ length: 25 }, (_, place) => ({
      level: place + 1,
      metrics: { output_tok_s: 100 + place },
    }));
    expect(await wouldRank('2', many)).toHaveLength(20);
  });
});
