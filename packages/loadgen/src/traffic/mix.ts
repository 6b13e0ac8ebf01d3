import { createHash } from 'node:crypto';
import { mixName, mixNameMax } from '@inferboard/core/plans/mix';
import { createRandom, deriveSeed } from '../pacing/random.ts';
import type { TrafficSource, Units } from './unit.ts';

/** A part of a mix. */
export interface MixPart {
  /** As the command line names it. */
  name: string;
  /** Its share is this by the sum of all. */
  weight: number;
  source: TrafficSource;
}

/** The name of a mix as a plan has it; null if a part is a file or the name is too long. */
function nameOfShapes(parts: readonly MixPart[]): string | null {
  const shapes = parts.flatMap(({ weight, source: { name, lengths } }) =>
    name !== 'random' || lengths.inputTokens === null || lengths.outputTokens === null
      ? []
      : [{ weight, inputTokens: lengths.inputTokens, outputTokens: lengths.outputTokens }],
  );
  const name = mixName(shapes);
  return shapes.length === parts.length && name.length <= mixNameMax ? name : null;
}

/** As part of a data set's name, whose length is limited. */
function nameOf(parts: readonly MixPart[]): string {
  const ofShapes = nameOfShapes(parts);
  if (ofShapes !== null) return ofShapes;
  const text = parts.map(({ name, weight, source }) => `${name}-${weight} ${source.name}`).join(' ');
  const sha = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const names = parts.map(({ name, weight }) => `${name.replace(/\W+/g, '-')}-${weight}`).join('-');
  return `mix-${names.slice(0, 40)}-${sha}`;
}

/** Requests of several workloads, each drawn for itself by weight. */
export function createMix(parts: readonly MixPart[]): TrafficSource {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const partOf = (drawn: number) => {
    let left = drawn * total;
    const found = parts.findIndex(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return found < 0 ? parts.length - 1 : found;
  };
  return {
    name: nameOf(parts),
    files: parts.flatMap(({ source }) => source.files),
    lengths: { inputTokens: null, outputTokens: null },
    sharesPrefixes: parts.some(({ source }) => source.sharesPrefixes),
    notes: (units) => parts.flatMap(({ source, weight }) => source.notes(Math.round((units * weight) / total))),
    open: async (tools) => {
      const opened = await Promise.all(parts.map(async ({ source }) => source.open(tools)));
      return (seed): Units => {
        const units = opened.map((open, part) => open(deriveSeed(seed, 'part', part)));
        const random = createRandom(deriveSeed(seed, 'mix'));
        // Each unit's part, and its number within that.
        const drawn: { part: number; number: number }[] = [];
        const counts = parts.map(() => 0);
        return (index) => {
          while (drawn.length <= index) {
            const part = partOf(random.next());
            const number = counts[part] ?? 0;
            drawn.push({ part, number });
            counts[part] = number + 1;
          }
          const { part = 0, number = 0 } = drawn[index] ?? {};
          const unit = units[part]?.(number);
          const name = parts[part]?.name;
          if (unit === undefined || name === undefined) throw new RangeError(`there is no unit ${index}`);
          return { ...unit, workload: name };
        };
      };
    },
  };
}
