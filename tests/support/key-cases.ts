import { createHash } from 'node:crypto';
import type { Example, Operation } from './operations.ts';

/** Every kind of key that somebody may come with. */
export interface Keys {
  owner: string;
  stranger: string;
  revoked: string;
  wrongChecksum: string;
  unknown: string;
  /** By scope: the owner's key that has all scopes but this one, and is no admin's. */
  lacking: ReadonlyMap<string, string>;
}

/** An answer, as far as it is looked at. */
export interface Seen {
  status: number;
  text: string;
  /** Header lines, without those that differ from one answer to the next. */
  headers: string[];
  allHeaders: Headers;
}

export type Expected = 'public' | 'unauthorised' | 'forbidden' | 'hidden' | 'unknown' | 'own' | 'open';

/** One way to come, and what it must lead to. */
export interface Case {
  name: string;
  key: string | null;
  scheme?: string;
  expected: Expected;
}

const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD';
const isServiceRead = ({ template }: Operation) => !template.startsWith('/v1/');
/** Figures of the process move while one looks, and a Parquet file tells when it was made. */
export const isVolatile = ({ template }: Operation) => template === '/metrics' || template.endsWith('.parquet');

/** What each kind of key must lead to, by what the document says of the operation. */
export function casesOf(operation: Operation, keys: Keys, example: Example): Case[] {
  const { isOfOwner = false, isMoreToOwner = false, isOfPublic = false } = example;
  const { lacking } = keys;
  const { scopes: needed, template } = operation;
  // A key that is sent must be a live one, also where none is needed: whoever sends one means to use it.
  const bad: Expected = isServiceRead(operation) ? 'public' : 'unauthorised';
  const common: Case[] = [
    { name: 'garbage', key: 'garbage', expected: bad },
    { name: 'garbage of the right form', key: keys.unknown, expected: bad },
    { name: 'a wrong checksum', key: keys.wrongChecksum, expected: bad },
    { name: 'a revoked key', key: keys.revoked, expected: bad },
    { name: 'another scheme', key: keys.owner, scheme: 'Basic', expected: bad },
  ];
  if (needed === null) {
    // What anybody may write is there once more each time: no two answers are alike.
    const everyone: Expected = isRead(operation) ? 'public' : 'open';
    const lesser = [...lacking.keys()].map((scope): Case => {
      const expected = isMoreToOwner ? 'own' : everyone;
      return { name: `a key without ${scope}`, key: lacking.get(scope) ?? '', expected };
    });
    return [
      { name: 'no key', key: null, expected: everyone },
      ...common,
      ...lesser,
      { name: "another account's key", key: keys.stranger, expected: everyone },
    ];
  }
  const wrong = needed.map((scope): Case => {
    return { name: `a key without ${scope}`, key: lacking.get(scope) ?? '', expected: 'forbidden' };
  });
  const ofOthers = isOfPublic ? 'forbidden' : template.includes('{') ? 'hidden' : isOfOwner ? 'unknown' : 'own';
  const others: Expected = needed.includes('admin') ? 'forbidden' : ofOthers;
  return [
    { name: 'no key', key: null, expected: 'unauthorised' },
    ...common,
    ...wrong,
    { name: "another account's key", key: keys.stranger, expected: others },
  ];
}

const statusOf = { unauthorised: 401, forbidden: 403, hidden: 404, unknown: 422 } as const;

/**
 * Everything in an answer that should not be, in words.
 *
 * @param context the answer to the same question without a key, whether answers differ from one moment to the next, and
 *   what no answer may hold
 */
export function leaksIn(
  seen: Seen,
  expected: Expected,
  { reference, moves, secrets }: { reference: Seen | null; moves: boolean; secrets: readonly string[] },
): string[] {
  const whole = `${seen.headers.join('\n')}\n${seen.text}`;
  const told = secrets.filter((secret) => whole.includes(secret));
  const leaks = told.map((secret) => `tells ${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`);
  if (expected === 'public') {
    const isLike = reference !== null && seen.status === reference.status;
    if (!isLike || seen.status >= 400) leaks.push(`answers ${seen.status}, not as without a key`);
    else if (!moves && seen.text !== reference.text) leaks.push('answers another body than without a key');
    // What was asked for with a key a proxy does not keep for a second.
    const known = reference?.headers.map((header) => header.replace(', s-maxage=1', '')) ?? [];
    const others = seen.headers.filter((header) => !known.includes(header.replace(', s-maxage=1', '')));
    if (!moves && others.length > 0) leaks.push(`answers ${others.join(', ')}, not as without a key`);
  } else if (expected === 'own' || expected === 'open') {
    const whom = expected === 'own' ? 'an account about its own' : 'somebody of the public';
    if (seen.status >= 300) leaks.push(`answers ${seen.status} to ${whom}`);
  } else {
    if (seen.status !== statusOf[expected]) leaks.push(`answers ${seen.status}, not ${statusOf[expected]}`);
    if (seen.allHeaders.get('content-type') !== 'application/problem+json') leaks.push('is no problem document');
    const isChallenged = seen.allHeaders.get('www-authenticate')?.startsWith('Bearer') ?? false;
    if (isChallenged !== (expected === 'unauthorised')) leaks.push('has WWW-Authenticate wrong');
  }
  return leaks;
}
