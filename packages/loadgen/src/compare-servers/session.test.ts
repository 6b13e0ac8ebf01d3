import { expandPlan } from '@inferboard/core/plans/expand';
import { readPlan } from '@inferboard/core/plans/read-plan';
import { expect, test } from 'vitest';
import { fakeModel, measuringOptions } from '../capacity/testing/measure-source.ts';
import { withFakeServer } from '../fake-server/testing/with-fake-server.ts';
import { measurePoint } from '../points/measure-point.ts';
import { readAgainst } from './options.ts';
import { interleave, type MeasuredSide, sessionWords } from './session.ts';

const pointsOf = (repetitions: number) => {
  const item = { scenario: { input_tokens: 8, output_tokens: 16 }, requests: 8, warmup: 0 };
  const loads = [1, 4].map((level) => ({ ...item, load: { mode: 'concurrency', level } }));
  return expandPlan({ ...readPlan({ plan: loads, repetitions }), seed: 3 }).points;
};

test('measures each block on both servers in turn, and each server first in half of them', () => {
  const points = pointsOf(10);
  const order = interleave(points, 1);
  expect(order).toHaveLength(40);
  for (let at = 0; at < 40; at += 2) {
    expect(order[at]?.point).toBe(order[at + 1]?.point);
    expect(new Set([order[at]?.side, order[at + 1]?.side])).toEqual(new Set(['a', 'b']));
  }
  const firsts = order.filter((_, at) => at % 2 === 0);
  for (const level of [1, 4])
    expect(firsts.filter(({ side, point }) => side === 'a' && point.load.level === level)).toHaveLength(5);
  expect(interleave(points, 1)).toEqual(order);
  expect(interleave(points, 2).map(({ side }) => side)).not.toEqual(order.map(({ side }) => side));
});

test('detects a slower server, with the same prompts for both', async () => {
  await withFakeServer({ ttftMs: 20, itlMs: 10 }, (portA) =>
    withFakeServer({ ttftMs: 20, itlMs: 14 }, async (portB) => {
      const servers = { a: fakeModel(portA), b: fakeModel(portB) };
      const options = measuringOptions(4);
      const session: MeasuredSide[] = [];
      for (const { side, point } of interleave(pointsOf(6), 4))
        session.push({ side, measured: await measurePoint(servers[side], point, options) });
      const words = sessionWords(session);
      expect(words).toHaveLength(2);
      // A busy machine slows down both servers, which reduces the ratio.
      expect(words[0]).toMatch(/^8-16, single request, 6 blocks: .*TPOT of B is \d+\.\d % higher \(99 % interval \+/);
      const promptsOf = (side: string) =>
        session
          .filter((one) => one.side === side)
          .map(({ measured }) => measured.record.requests.map(({ prompt_tokens }) => prompt_tokens));
      expect(promptsOf('a').flat()).toHaveLength(96);
      expect(new Set(promptsOf('a').flat())).toEqual(new Set(promptsOf('b').flat()));
      expect(sessionWords(session.slice(0, 4))[0]).toMatch(/: 1 blocks that both servers finished are too few/);
    }),
  );
});

test('reads the facts of the second server', () => {
  const faults: string[] = [];
  const facts = 'model=x,engine-version=0.12.0,gpu-count=2';
  expect(readAgainst({ against: 'http://b', 'against-facts': facts }, faults)).toEqual({
    ...{ url: 'http://b', model: 'x', apiKeyEnv: null },
    facts: { engineVersion: '0.12.0', gpuCount: 2 },
  });
  expect(faults).toEqual([]);
  readAgainst({ against: 'ftp://b', 'against-facts': 'speed=1,gpu-count=x,gpu', until: 'ci=2%' }, faults);
  expect(faults).toHaveLength(5);
  readAgainst({ 'against-facts': 'gpu=x' }, faults);
  expect(faults.at(-1)).toBe('--against-facts needs --against.');
});
