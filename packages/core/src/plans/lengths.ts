/** A length in tokens, or the distribution that lengths are drawn from. */
export type Lengths =
  | { kind: 'constant'; tokens: number }
  | { kind: 'uniform'; min: number; max: number }
  | { kind: 'normal'; mean: number; sd: number }
  | { kind: 'lognormal'; median: number; sigma: number };

/** Longer prompts than any model takes. */
export const tokensMax = 10_000_000;
const sigmaMax = 5;

/** What `readLengths` reads. */
export const lengthForms = 'N, uniform:MIN:MAX, normal:MEAN:SD or lognormal:MEDIAN:SIGMA';

const kinds: Readonly<Record<string, (a: number, b: number) => Lengths | string>> = {
  uniform: (min, max) => (max >= min ? { kind: 'uniform', min, max } : 'the maximum is below the minimum'),
  normal: (mean, sd) => ({ kind: 'normal', mean, sd }),
  lognormal: (median, sigma) =>
    sigma <= sigmaMax ? { kind: 'lognormal', median, sigma } : `sigma must be ${sigmaMax} at most`,
};

const isLength = (value: number) => value > 0 && value <= tokensMax;

/** Reads a number of tokens or a distribution; null if it is neither, and the error as text if its numbers do not fit. */
export function readLengths(text: string): Lengths | string | null {
  const [kind = '', ...rest] = text.split(':');
  const numbers = rest.map(Number);
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (make === undefined) {
    const tokens = Number(text);
    return text.trim() !== '' && isLength(tokens) ? { kind: 'constant', tokens } : null;
  }
  const [a = 0, b = 0] = numbers;
  return numbers.length === 2 && numbers.every(isLength) ? make(a, b) : null;
}

/** As part of a data set's name: `normal-512-64`. */
export function lengthsName(lengths: Lengths): string {
  if (lengths.kind === 'constant') return String(lengths.tokens);
  const { kind, ...numbers } = lengths;
  return [kind, ...Object.values(numbers)].join('-');
}

/** The mean in tokens. Drawn lengths are at most `tokensMax`. */
export function meanLength(lengths: Lengths): number {
  switch (lengths.kind) {
    case 'constant':
      return lengths.tokens;
    case 'uniform':
      return (lengths.min + lengths.max) / 2;
    case 'normal':
      return lengths.mean;
    case 'lognormal':
      return Math.min(tokensMax, lengths.median * Math.exp(lengths.sigma ** 2 / 2));
  }
}
