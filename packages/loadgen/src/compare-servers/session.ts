import { itemKey, type PlanPoint, scenarioTitle } from '@inferboard/core/plans/point';
import { formatLoad } from '@inferboard/core/subjects/load';
import { createRandom, deriveSeed } from '../pacing/random.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { compareBlocks, ratioWords, type Side, sides } from './paired.ts';

/** A point on one of the two servers. */
export interface SidePoint {
  side: Side;
  point: PlanPoint;
}

/**
 * The points of a session: each point on both servers, one right after the other, in an order drawn by chance. Of every two
 * blocks of a load one begins with A and one with B, so that a drift of the machine favours neither.
 */
export function interleave(points: readonly PlanPoint[], seed: number): SidePoint[] {
  const random = createRandom(deriveSeed(seed, 'order of servers'));
  const firsts = new Map<string, Side[]>();
  return points.flatMap((point) => {
    const key = itemKey(point);
    const left = firsts.get(key) ?? [];
    if (left.length === 0) left.push(...(random.below(2) === 0 ? sides : sides.toReversed()));
    const first = left.pop() ?? 'a';
    firsts.set(key, left);
    const order = first === 'a' ? sides : sides.toReversed();
    return order.map((side) => ({ side, point }));
  });
}

/** A point that was measured on one of the servers. */
export type MeasuredSide = { side: Side; measured: MeasuredPoint };

/** What a session found, in a line for each load: only blocks that both servers finished count. */
export function sessionWords(session: readonly MeasuredSide[]): string[] {
  const items = Map.groupBy(session, ({ measured }) => itemKey(measured.point));
  return [...items.values()].map((ofItem) => {
    const blocks = [...Map.groupBy(ofItem, ({ measured }) => measured.point.repetition).values()].flatMap((pair) => {
      const [a, b] = sides.map((side) => pair.find((one) => one.side === side)?.measured);
      const isWhole = a !== undefined && b !== undefined && a.cut === null && b.cut === null;
      return isWhole ? [{ a, b }] : [];
    });
    const ratios = compareBlocks(blocks);
    const { scenario, load } = ofItem[0]?.measured.point ?? { scenario: null, load: null };
    const what = `${scenario === null ? '' : scenarioTitle(scenario)}${load === null ? '' : `, ${formatLoad(load)}`}`;
    if (ratios.length === 0)
      return `${what}: ${blocks.length} blocks that both servers finished are too few to compare.`;
    return `${what}, ${blocks.length} blocks: ${ratios.map(ratioWords).join(' ')}`;
  });
}

/** The notes of a session's submission. */
export function sessionNotes(id: string, seed: number, words: readonly string[]): string {
  const method = `Session ${id}: server A and server B, measured in alternating blocks with the same prompts, in a random order with seed ${seed}. Requests are paired by prompt.`;
  return [method, ...words].join('\n').slice(0, 9000);
}
