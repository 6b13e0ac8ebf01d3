import { type PairedRatio, pairedRatio } from './paired-ratio.ts';

export { sessionConfidence } from './paired-ratio.ts';

/** The servers of a session of `measure --against`. */
export const sessionServers = ['a', 'b'] as const;
export type SessionServer = (typeof sessionServers)[number];

export const sessionFigures = ['ttft_ms_mean', 'tpot_ms_mean', 'output_tok_s'] as const;
export type SessionFigure = (typeof sessionFigures)[number];

/** One block on one server. */
export interface SessionBlock extends Record<SessionFigure, number | null> {
  server: SessionServer;
  /** Equal for the same workload and load on both servers. */
  item: string;
  repetition: number | null;
  /** True if it ended early. Its pair is left out. */
  isPartial: boolean;
}

/** A figure of B by that of A. */
export interface SessionRatio extends PairedRatio {
  figure: SessionFigure;
  /** Blocks that both servers finished. */
  blocks: number;
}

function compareFigure(figure: SessionFigure, pairs: readonly Record<SessionServer, SessionBlock>[]): SessionRatio[] {
  const logs = pairs.flatMap(({ a, b }) => {
    const [of, by] = [b[figure] ?? 0, a[figure] ?? 0];
    return of > 0 && by > 0 ? [Math.log(of / by)] : [];
  });
  const found = pairedRatio(logs);
  return found === null ? [] : [{ figure, ...found, blocks: logs.length }];
}

/**
 * Compares two servers by blocks with the same prompts: the ratio B by A of each workload and load, see `pairedRatio`. Figures
 * with fewer than three blocks are left out.
 */
export function compareSession(blocks: readonly SessionBlock[]): Map<string, SessionRatio[]> {
  const items = Map.groupBy(blocks, ({ item }) => item);
  return new Map(
    [...items].map(([item, ofItem]) => {
      const pairs = [...Map.groupBy(ofItem, ({ repetition }) => repetition).values()].flatMap((pair) => {
        const [a, b] = sessionServers.map((server) => pair.filter((one) => one.server === server));
        const [oneA, oneB] = [a?.[0], b?.[0]];
        const isWhole = pair.length === 2 && pair.every(({ isPartial }) => !isPartial);
        return isWhole && oneA !== undefined && oneB !== undefined ? [{ a: oneA, b: oneB }] : [];
      });
      return [item, sessionFigures.flatMap((figure) => compareFigure(figure, pairs))];
    }),
  );
}
