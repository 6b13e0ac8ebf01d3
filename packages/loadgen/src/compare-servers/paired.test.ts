import { describe, expect, test } from 'vitest';
import { createRandom } from '../pacing/random.ts';
import { type Block, type BlockSide, compareBlocks, type PairedRatio, ratioWords } from './paired.ts';

// Simulated sessions: the machine drifts, prompts differ in length, and requests and blocks are noisy.

interface Session {
  /** The ratio of B to A. */
  ratio: number;
  /** Blocks on B during which the machine paused: their times are 1.5 times as long. */
  paused?: readonly number[];
  blocks?: number;
  requests?: number;
}

function simulate({ ratio, paused = [], blocks = 16, requests = 16 }: Session, seed: number): Block[] {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const noise = (sd: number) => Math.exp(sd * normal());
  let drift = 1;
  return Array.from({ length: blocks }, (_, place) => {
    const lengths = Array.from({ length: requests }, () => noise(0.3));
    const side = (factor: number): BlockSide => {
      drift *= noise(0.005);
      const shared = factor * drift * noise(0.005);
      const answers = lengths.map((length, index) => {
        const ttft = 200 * length * shared * noise(0.04);
        const tpot = 10 * shared * noise(0.02);
        const chunks_ms = Float64Array.from({ length: 20 }, (_, chunk) => ttft + chunk * tpot);
        return { index, outcome: 'ok' as const, started_ms: 0, chunks_ms, output_tokens: 20 };
      });
      const window_ms = Math.max(...answers.map(({ chunks_ms }) => chunks_ms.at(-1) ?? 0));
      const output_tok_s = (1000 * 20 * requests) / window_ms;
      return {
        record: { requests: answers },
        summary: { throughput: { window_ms, output_tok_s, req_s: 0, total_tok_s: null } },
      };
    };
    const isFirst = random.below(2) === 0;
    const factor = ratio * (paused.includes(place) ? 1.5 : 1);
    const first = side(isFirst ? 1 : factor);
    const second = side(isFirst ? factor : 1);
    return isFirst ? { a: first, b: second } : { a: second, b: first };
  });
}

const compareAll = (session: Session) =>
  Array.from({ length: 100 }, (_, seed) => compareBlocks(simulate(session, 1000 + seed)));
const countOf = (all: readonly PairedRatio[][], is: (ratio: PairedRatio) => boolean) =>
  all.filter((ratios) => ratios.some(is)).length;

describe('two servers', () => {
  test.each([1.02, 1 / 1.02])('that differ by a factor of %f are distinguished in 95 of 100 sessions', (ratio) => {
    const all = compareAll({ ratio });
    const isFound = ({ figure, differs, ratio: found }: PairedRatio) =>
      figure === 'TPOT' && differs && found > 1 === ratio > 1;
    expect(countOf(all, isFound)).toBeGreaterThanOrEqual(95);
  });

  test('that differ by 2 % are distinguished if the machine paused during a block', () => {
    const all = compareAll({ ratio: 1.02, paused: [5] });
    expect(
      countOf(all, ({ figure, differs, ratio }) => figure === 'TPOT' && differs && ratio > 1),
    ).toBeGreaterThanOrEqual(95);
  });

  test('that are equal are distinguished in at most 5 of 100 sessions, over all metrics', () => {
    const all = compareAll({ ratio: 1 });
    expect(all.every((ratios) => ratios.length === 3)).toBe(true);
    expect(countOf(all, ({ differs }) => differs)).toBeLessThanOrEqual(5);
  });

  test('have intervals that contain the true ratio in almost 99 of 100 sessions', () => {
    const all = compareAll({ ratio: 1.1, blocks: 6 });
    const missed = countOf(all, ({ figure, low, high }) => figure !== 'output tok/s' && (low > 1.1 || high < 1.1));
    expect(missed).toBeLessThanOrEqual(5);
  });
});

const answer = (index: number, ttft: number, outcome: 'ok' | 'timeout' = 'ok') => ({
  ...{ index, outcome, started_ms: 0, output_tokens: 3 },
  chunks_ms: Float64Array.of(ttft, ttft + 10, ttft + 20),
});
const sideOf = (...requests: ReturnType<typeof answer>[]): BlockSide => ({
  record: { requests },
  summary: { throughput: null },
});

test('pairs requests by prompt, if both servers answered', () => {
  const block = {
    a: sideOf(answer(0, 100), answer(1, 400), answer(2, 50)),
    b: sideOf(answer(1, 440), answer(0, 110), answer(2, 5000, 'timeout'), answer(3, 1)),
  };
  const [ttft] = compareBlocks([block, block, block]);
  expect(ttft).toMatchObject({ figure: 'TTFT', blocks: 3, pairs: 6, differs: true });
  expect(ttft?.ratio).toBeCloseTo(1.1, 9);
  expect(compareBlocks([block, block])).toEqual([]);
});

test('formats a comparison as a sentence', () => {
  const found = { figure: 'TPOT' as const, blocks: 16, pairs: 256 };
  expect(ratioWords({ ...found, ratio: 1.021, low: 1.018, high: 1.024, differs: true })).toBe(
    'TPOT of B is 2.1 % higher (99 % interval +1.8 % to +2.4 %).',
  );
  expect(ratioWords({ ...found, ratio: 0.9999, low: 0.99, high: 1.01, differs: false })).toBe(
    'TPOT: no difference found between A and B (0.0 %, 99 % interval −1.0 % to +1.0 %).',
  );
});
