import { pairedRatio, type PairedRatio as Ratio, sessionConfidence } from '@inferboard/core/sessions/paired-ratio';
import type { RequestRecord } from '../measure/records/load-record.ts';
import type { LoadSummary } from '../measure/records/summarise-load.ts';

/** The two servers of a session. */
export const sides = ['a', 'b'] as const;
export type Side = (typeof sides)[number];

/** One block on one server, as far as a comparison reads it. */
export interface BlockSide {
  record: {
    requests: readonly Pick<RequestRecord, 'index' | 'outcome' | 'started_ms' | 'chunks_ms' | 'output_tokens'>[];
  };
  summary: Pick<LoadSummary, 'throughput'>;
}

/** The same prompts under the same load on both servers, one after the other. */
export type Block = Record<Side, BlockSide>;

/** Figures that are compared. */
export const comparedFigures = ['TTFT', 'TPOT', 'output tok/s'] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

/** B by A. */
export interface PairedRatio extends Ratio {
  figure: ComparedFigure;
  /** Blocks, and pairs of requests in them; null for a figure of whole blocks. */
  blocks: number;
  pairs: number | null;
}

type Measured = BlockSide['record']['requests'][number];

const latencies: Record<'TTFT' | 'TPOT', (request: Measured) => number | null> = {
  TTFT: ({ started_ms, chunks_ms }) => (chunks_ms[0] === undefined ? null : chunks_ms[0] - started_ms),
  TPOT: ({ chunks_ms, output_tokens }) => {
    const [first, last] = [chunks_ms[0], chunks_ms.at(-1)];
    if (first === undefined || last === undefined || chunks_ms.length < 2 || (output_tokens ?? 0) < 2) return null;
    return (last - first) / ((output_tokens ?? 0) - 1);
  },
};

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Logarithms of the ratios of the requests that both servers answered. */
function pairsOf({ a, b }: Block, of: (request: Measured) => number | null): number[] {
  const values = ({ record }: BlockSide) =>
    new Map(
      record.requests.flatMap((request) => {
        const value = request.outcome === 'ok' ? of(request) : null;
        return value === null || value <= 0 ? [] : [[request.index, value] as const];
      }),
    );
  const ofB = values(b);
  return [...values(a)].flatMap(([index, value]) => {
    const other = ofB.get(index);
    return other === undefined ? [] : [Math.log(other / value)];
  });
}

function throughputRatio({ a, b }: Block): number[] {
  const [of, by] = [b.summary.throughput?.output_tok_s, a.summary.throughput?.output_tok_s];
  return of && by ? [Math.log(of / by)] : [];
}

/**
 * Compares two servers by the ratio of each figure, B by A, see `pairedRatio`. Requests are paired by their prompt, and their logarithms
 * are averaged within a block, because requests of one block share what happened during it. Figures with fewer than three blocks
 * are left out.
 */
export function compareBlocks(blocks: readonly Block[]): PairedRatio[] {
  return comparedFigures.flatMap((figure) => {
    const isOfBlock = figure === 'output tok/s';
    const pairs = blocks.map((block) => (isOfBlock ? throughputRatio(block) : pairsOf(block, latencies[figure])));
    const means = pairs.filter((list) => list.length > 0).map(meanOf);
    const found = pairedRatio(means);
    if (found === null) return [];
    const count = pairs.reduce((sum, list) => sum + list.length, 0);
    return [{ figure, ...found, blocks: means.length, pairs: isOfBlock ? null : count }];
  });
}

const change = (ratio: number) => {
  const percent = (100 * (ratio - 1)).toFixed(1);
  return percent === '0.0' || percent === '-0.0' ? '0.0 %' : `${ratio > 1 ? '+' : ''}${percent.replace('-', '−')} %`;
};

/** `TPOT of B is 2.1 % higher (99 % interval +1.8 % to +2.4 %).` */
export function ratioWords({ figure, ratio, low, high, differs }: PairedRatio): string {
  const interval = `${100 * sessionConfidence} % interval ${change(low)} to ${change(high)}`;
  if (!differs) return `${figure}: no difference found between A and B (${change(ratio)}, ${interval}).`;
  return `${figure} of B is ${Math.abs(100 * (ratio - 1)).toFixed(1)} % ${ratio > 1 ? 'higher' : 'lower'} (${interval}).`;
}
