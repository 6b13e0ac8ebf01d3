import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatLoad, loadKey, unspecifiedLoad } from '../subjects/load.ts';
import type { Result } from '../subjects/result.ts';
import { readSubmission } from '../submission/read-submission.ts';
import { bytesOf, native } from '../testing/artifacts.ts';
import { makeResult, type ResultWords } from '../testing/result.ts';
import { findNotRepetitions, notRepetitionsFinding } from './not-repetitions.ts';
import { runKey } from './run-key.ts';

const rows = (...metrics: Result['metrics'][]) => metrics.map((of) => makeResult({ metrics: of }));
const rates = (more: ResultWords, ...each: number[]) =>
  each.map((rate) => makeResult({ metrics: { output_tok_s: rate }, ...more }));

describe('results of one point', () => {
  test('are not repetitions if a ranked metric differs by more than half', () => {
    expect(findNotRepetitions(rates({}, 1000, 1490))).toEqual([]);
    expect(findNotRepetitions(rates({}, 1000, 990, 1510))).toEqual([
      { indexes: [0, 1, 2], metric: 'output_tok_s', low: 990, high: 1510, isLoadStated: true, isElsewhere: false },
    ]);
    expect(
      findNotRepetitions(rows({ output_tok_s: 100, ttft_ms_mean: 10 }, { output_tok_s: 101, ttft_ms_mean: 31 })),
    ).toMatchObject([{ metric: 'ttft_ms_mean' }]);
  });

  test('may differ in tail latencies and counts', () => {
    const [one, other] = [
      { ttft_ms_p99: 10, requests_failed: 1, goodput_req_s: 1 },
      { ttft_ms_p99: 90, requests_failed: 9, goodput_req_s: 9 },
    ];
    expect(findNotRepetitions(rows({ ...one, output_tok_s: 5 }, { ...other, output_tok_s: 5 }))).toEqual([]);
  });

  test('may differ if their formulas differ', () => {
    const [a, b] = [1, 0].map((is) =>
      makeResult({
        metrics: { ttft_ms_mean: is ? 10 : 90 },
        definitions: { ttft_ms: is ? 'send_to_first_token' : 'last_of_batch' },
      }),
    );
    expect(findNotRepetitions([a, b].flatMap((one) => one ?? []))).toEqual([]);
  });

  test('are repetitions if the tool numbered them without duplicates', () => {
    const numbered = (...numbers: (number | null)[]) =>
      numbers.map((repetition, place) => makeResult({ repetition, metrics: { output_tok_s: 100 * 2 ** place } }));
    expect(findNotRepetitions(numbered(1, 2, 3))).toEqual([]);
    expect(findNotRepetitions(numbered(1, 2, null))).toEqual([]);
    // The runs before and after a change, each numbered from 1.
    expect(findNotRepetitions(numbered(1, 2, 1, 2))).toMatchObject([{ indexes: [0, 1, 2, 3] }]);
  });

  test('are single requests that may differ in their prompts, but not in the speed of decoding', () => {
    const single = (...each: { decode: number; prefill: number }[]) =>
      each.map(({ decode, prefill }, place) =>
        makeResult({
          repetition: place + 1,
          metrics: { requests_ok: 1, decode_tok_s: decode, prefill_tok_s: prefill },
        }),
      );
    expect(findNotRepetitions(single({ decode: 36, prefill: 4000 }, { decode: 35, prefill: 139_000 }))).toEqual([]);
    expect(findNotRepetitions(single({ decode: 36, prefill: 900 }, { decode: 13, prefill: 900 }))).toMatchObject([
      { indexes: [0, 1], metric: 'decode_tok_s', low: 13, high: 36 },
    ]);
  });

  test('are compared only with each other', () => {
    const loads = [1, 2, 2].map((level) => ({ mode: 'concurrency', level }) as const);
    const results = [100, 300, 310].map((rate, i) =>
      makeResult({ metrics: { output_tok_s: rate }, ...(loads[i] === undefined ? {} : { load: loads[i] }) }),
    );
    expect(findNotRepetitions(results)).toEqual([]);
    const gpus = ['h100-sxm', 'a100-sxm4-80gb'].map((gpu, i) =>
      makeResult({ system: { gpu }, metrics: { output_tok_s: 100 + 200 * i } }),
    );
    expect(findNotRepetitions(gpus)).toEqual([]);
  });

  // llama-bench at two unstated power limits: prefill takes twice as long and decoding is a third slower.
  test('are not repetitions if other results of their system are not', () => {
    const of = (level: number, rate: number) =>
      makeResult({ load: { mode: 'concurrency', level }, metrics: { output_tok_s: rate } });
    expect(findNotRepetitions([of(1, 100), of(2, 100), of(1, 200), of(2, 140), of(3, 90)])).toMatchObject([
      { indexes: [0, 2], low: 100, high: 200, isElsewhere: false },
      { indexes: [1, 3], low: 100, high: 200, isElsewhere: true },
    ]);
  });

  test('without a load are not repetitions if they differ', () => {
    const load = unspecifiedLoad;
    expect(findNotRepetitions(rates({ load }, 100, 101))).toMatchObject([{ indexes: [0, 1], isLoadStated: false }]);
    expect(findNotRepetitions(rates({ load }, 100, 100))).toEqual([]);
    expect(findNotRepetitions(rates({ load }, 100))).toEqual([]);
    const training = [100, 120].map((wall) => makeResult({ kind: 'training', load, metrics: { wall_s: wall } }));
    expect(findNotRepetitions(training)).toEqual([]);
  });

  test('are found among ten thousand results', () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      makeResult({
        load: { mode: 'concurrency', level: 1 + (i % 5000) },
        metrics: { output_tok_s: i < 5000 ? 100 : 200 },
      }),
    );
    expect(findNotRepetitions(many)).toHaveLength(5000);
  });

  test('are reported with both figures and a remedy', () => {
    const [found] = findNotRepetitions(rates({}, 1000, 1600));
    expect(found && notRepetitionsFinding(found)).toEqual({
      code: 'not_repetitions',
      severity: 'warning',
      message:
        '2 results of the artifact have the same system, workload and load but output_tok_s from 1000 to 1600, so they are not repetitions and do not rank. ' +
        'State how they differ, for example the load or a setting, and send them again.',
      evidence: { metric: 'output_tok_s', low: 1000, high: 1600, ratio: 1.6, results: 2 },
    });
  });
});

describe('a submission', () => {
  const load = { mode: 'concurrency', level: 8 };
  const result = (tpot: number, more = {}) => ({ load, metrics: { ttft_ms_mean: 211, tpot_ms_mean: tpot }, ...more });
  const read = (...results: Record<string, unknown>[]) => readSubmission(bytesOf(native({ results })), {}).results;
  const statuses = (results: ReturnType<typeof read>) => results.map(({ status }) => status);

  test('holds results that look like repetitions but are not', () => {
    const results = read(result(20), result(35), result(20, { load: { mode: 'concurrency', level: 4 } }));
    expect(statuses(results)).toEqual(['not_repetitions', 'not_repetitions', 'accepted']);
    expect(results[0]?.findings.map(({ code }) => code)).toContain('not_repetitions');
    expect(statuses(read(result(20, { repetition: 1 }), result(35, { repetition: 2 })))).toEqual([
      'accepted',
      'accepted',
    ]);
  });

  test('keeps implausible results quarantined', () => {
    expect(statuses(read(result(20), result(0.0001)))).toEqual(['not_repetitions', 'quarantined']);
  });

  test('without a load gives every run its own point, and the same run the same one', () => {
    const unstated = [20, 20.1].map((tpot) => result(tpot, { load: { mode: 'unspecified' } }));
    const keys = read(...unstated).map((one) => loadKey(one.load));
    expect(new Set(keys).size).toBe(2);
    expect(read(...unstated.slice(1)).map((one) => loadKey(one.load))).toEqual(keys.slice(1));
    expect(read(...unstated).map((one) => formatLoad(one.load))).toEqual(['load not stated', 'load not stated']);
  });

  test('with a load keeps the point of the load', () => {
    expect(read(result(20)).map((one) => loadKey(one.load))).toEqual(['["concurrency",8,null,null]']);
  });
});

test('runKey does not depend on the order of metrics', () => {
  const [one, other] = rows({ ttft_ms_mean: 1, tpot_ms_mean: 2 }, { tpot_ms_mean: 2, ttft_ms_mean: 1 });
  expect(one && runKey(one)).toBe(other && runKey(other));
  const keys = Array.from({ length: 10_000 }, (_, i) => runKey(makeResult({ metrics: { ttft_ms_mean: i / 100 } })));
  expect(new Set(keys).size).toBe(10_000);
});

const blocks = new URL('../../../../../shared/real-results/vllm_serve__mi300x_many-blocks.txt', import.meta.url);
test.skipIf(!existsSync(blocks))(
  '23 console blocks without a load give 23 points, and those with the same lengths do not rank',
  () => {
    const given = { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'mi300x' };
    const { results } = readSubmission(new Uint8Array(readFileSync(blocks)), given);
    expect(new Set(results.map(({ load }) => loadKey(load))).size).toBe(23);
    const byShape = [...Map.groupBy(results, ({ scenario }) => scenario.id).values()];
    const alike = byShape.filter((of) => of.length > 1).flat();
    expect(alike.length).toBeGreaterThan(0);
    expect(new Set(alike.map(({ status }) => status))).toEqual(new Set(['not_repetitions']));
  },
);
