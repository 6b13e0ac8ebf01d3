import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Lengths, lengthsName, readLengths, tokensMax } from '@inferboard/core/plans/lengths';
import { drawNormal } from '../pacing/gamma.ts';
import type { Random } from '../pacing/random.ts';

/** A distribution of numbers above 0. */
export interface Distribution {
  /** As part of a data set's name: `normal-512-64`. */
  name: string;
  /** The one value of a constant; null of a distribution with several. */
  fixed: number | null;
  draw(random: Random): number;
}

/** What `readDistribution` reads. */
export const distributionForms = 'N, uniform:MIN:MAX, normal:MEAN:SD, lognormal:MEDIAN:SIGMA or file:PATH';

const valuesMax = 1_000_000;

export const constant = (tokens: number): Distribution => distributionOf({ kind: 'constant', tokens });

/** The numbers of a file, one per line; each is drawn in proportion to its occurrences. */
function fromFile(path: string): Distribution | string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return `${path} cannot be read`;
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const values = lines.filter((line) => line !== '').map(Number);
  const wrong = lines.findIndex((line) => line !== '' && !(Number(line) > 0 && Number(line) <= tokensMax));
  if (wrong >= 0) return `${path}, line ${wrong + 1}: "${lines[wrong]?.slice(0, 40)}" is not a number above 0`;
  if (values.length === 0 || values.length > valuesMax) return `${path} must have between 1 and ${valuesMax} numbers`;
  const sha = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const name = `${basename(path).replace(/\.[a-z]+$/i, '')}-${sha}`;
  return { name, fixed: null, draw: (random) => values[random.below(values.length)] ?? 1 };
}

const draws: { [Kind in Lengths['kind']]: (of: Extract<Lengths, { kind: Kind }>) => Distribution['draw'] } = {
  constant:
    ({ tokens }) =>
    () =>
      tokens,
  uniform:
    ({ min, max }) =>
    (random) =>
      min + random.next() * (max - min),
  normal:
    ({ mean, sd }) =>
    (random) =>
      mean + sd * drawNormal(random),
  lognormal:
    ({ median, sigma }) =>
    (random) =>
      median * Math.exp(sigma * drawNormal(random)),
};

/** The distribution that lengths are drawn from. */
export function distributionOf(lengths: Lengths): Distribution {
  // The key is the kind, which TypeScript does not relate to the value.
  const draw = (draws[lengths.kind] as (of: Lengths) => Distribution['draw'])(lengths);
  return { name: lengthsName(lengths), fixed: lengths.kind === 'constant' ? lengths.tokens : null, draw };
}

/** Reads a number or a distribution; returns the error as text if it is invalid. */
export function readDistribution(text: string): Distribution | string {
  const [kind = '', ...rest] = text.split(':');
  if (kind === 'file' && rest.length > 0) return fromFile(rest.join(':'));
  const lengths = readLengths(text);
  if (typeof lengths === 'string') return lengths;
  return lengths === null ? `must be ${distributionForms}` : distributionOf(lengths);
}

/** Tokens drawn from a distribution: the nearest whole number, 1 or more. */
export function drawTokens(distribution: Distribution, random: Random): number {
  return Math.min(tokensMax, Math.max(1, Math.round(distribution.draw(random))));
}
