/** A version of an engine and since when it is known here, RFC 3339. */
export interface DatedVersion {
  /** As written; null where nobody said. */
  version: string | null;
  since: string;
}

/** Words that come before a release, and the one that comes after it. */
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
  /** "b" of "b6413"; "v" says nothing. */
  prefix: string;
  numbers: number[];
  /** [stage, number] of each word after the numbers. */
  words: [number, number][];
}

/** "0.11.0rc2", "v0.5.4.post1", "b6413"; null for what is no release, such as a commit's hash. */
function parseRelease(text: string): Release | null {
  const [public_ = ''] = text.trim().toLowerCase().split('+');
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
 * Versions of one engine, oldest first. Where all are releases numbered alike, by their numbers (PEP 440 and its kin), so
 * that measuring an old version late does not make it the newest; else by the time since which they are known. What has no
 * version comes first. Equal ones keep the order of their times, then the one given.
 */
export function orderVersions<T extends DatedVersion>(versions: readonly T[]): T[] {
  const releases = new Map(versions.map(({ version }) => [version, version === null ? null : parseRelease(version)]));
  const known = [...releases].filter(([version]) => version !== null).map(([, release]) => release);
  const isNumbered = known.every((release) => release !== null && release.prefix === known[0]?.prefix);
  const byTime = (a: T, b: T) => Date.parse(a.since) - Date.parse(b.since);
  return versions.toSorted((a, b) => {
    if (a.version === null || b.version === null) {
      return Number(b.version === null) - Number(a.version === null) || byTime(a, b);
    }
    const [release, other] = [releases.get(a.version) ?? null, releases.get(b.version) ?? null];
    const order = isNumbered && release !== null && other !== null ? compareRelease(release, other) : 0;
    return order || byTime(a, b);
  });
}
