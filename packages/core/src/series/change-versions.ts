/** A version of an engine and when it was first measured or stored, RFC 3339. */
export interface DatedVersion {
  /** As written; null if unknown. */
  version: string | null;
  since: string;
}

/** Pre-release words and the post-release word, in sort order. */
const stages: Record<string, number> = {
  dev: -4,
  nightly: -4,
  a: -3,
  alpha: -3,
  b: -2,
  beta: -2,
  pre: -1,
  preview: -1,
  rc: -1,
  post: 1,
};

interface Release {
  /** "b" of "b6413"; "v" is ignored. */
  prefix: string;
  numbers: number[];
  /** [stage, number] of each word after the numbers. */
  words: [number, number][];
}

/** Parses "0.11.0rc2", "v0.5.4.post1", "b6413", "as of 2026-05-20"; null if it is not a release, such as a commit hash. */
function parseRelease(text: string): Release | null {
  const [public_ = ''] = text.trim().toLowerCase().split('+');
  const [, ...date] = /^(?:as of |nightly[- ])?(20\d\d)-([01]\d)-([0-3]\d)$/.exec(public_) ?? [];
  if (date.length > 0) return { prefix: 'date', numbers: date.map(Number), words: [] };
  const parts = /^([a-z]*)[-_ ]?(\d{1,15}(?:\.\d{1,15})*)(.*)$/.exec(public_);
  if (parts === null) return null;
  const [, prefix = '', numbers = '', rest = ''] = parts;
  const words: [number, number][] = [];
  let left = rest;
  while (left !== '') {
    const word = /^[-_. ]?([a-z]+)[-_.]?(\d{0,15})/.exec(left);
    const stage = word === null ? undefined : stages[word[1] ?? ''];
    if (word === null || stage === undefined) return null;
    words.push([stage, Number(word[2])]);
    left = left.slice(word[0].length);
  }
  return { prefix: prefix === 'v' ? '' : prefix, numbers: numbers.split('.').map(Number), words };
}

function compareRelease(a: Release, b: Release): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  for (let at = 0; at < Math.max(a.words.length, b.words.length); at++) {
    const [[stage, number], [otherStage, otherNumber]] = [a.words[at] ?? [0, 0], b.words[at] ?? [0, 0]];
    if (stage !== otherStage) return stage - otherStage;
    if (number !== otherNumber) return number - otherNumber;
  }
  return 0;
}

/**
 * Sorts versions of one engine, oldest first. If all are releases with the same numbering scheme, sorts by number (PEP 440
 * and similar). A late measurement of an old version then does not make it the newest. Otherwise sorts by
 * those times. Missing versions come first. Equal ones keep the order of their times, then the given order.
 */
export function orderVersions<T extends DatedVersion>(versions: readonly T[]): T[] {
  const releases = new Map(versions.map(({ version }) => [version, version === null ? null : parseRelease(version)]));
  const known = [...releases].filter(([version]) => version !== null).map(([, release]) => release);
  const isNumbered = known.every((release) => release !== null && release.prefix === known[0]?.prefix);
  const timeOf = ({ since }: T) => Date.parse(since) || 0;
  const byTime = (a: T, b: T) => timeOf(a) - timeOf(b);
  return versions.toSorted((a, b) => {
    if (a.version === null || b.version === null) {
      return Number(b.version === null) - Number(a.version === null) || byTime(a, b);
    }
    const [release, other] = [releases.get(a.version) ?? null, releases.get(b.version) ?? null];
    const order = isNumbered && release !== null && other !== null ? compareRelease(release, other) : 0;
    return order || byTime(a, b);
  });
}
