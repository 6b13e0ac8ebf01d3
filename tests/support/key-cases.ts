import { createHash } from 'node:crypto';
import type { Example, Operation } from './operations.ts';

/** All kinds of keys that a client can send. */
export interface Keys {
  owner: string;
  stranger: string;
  revoked: string;
  wrongChecksum: string;
  unknown: string;
  /** By scope: the owner's key with all scopes but this one, without admin rights. */
  lacking: ReadonlyMap<string, string>;
}

/** The checked parts of a response. */
export interface Seen {
  status: number;
  text: string;
  /** Header lines, without those that vary between responses. */
  headers: string[];
  allHeaders: Headers;
}

export type Expected = 'public' | 'unauthorised' | 'forbidden' | 'hidden' | 'unknown' | 'own' | 'open';

/** One kind of key and its expected outcome. */
export interface Case {
  name: string;
  key: string | null;
  scheme?: string;
  expected: Expected;
}

const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD';
const isServiceRead = ({ template }: Operation) => !template.startsWith('/v1/');
/** Process metrics change between requests, and a Parquet file contains its creation time. */
export const isVolatile = ({ template }: Operation) => template === '/metrics' || template.endsWith('.parquet');

/** The expected outcome of each kind of key, from the operation's documentation. */
export function casesOf(operation: Operation, keys: Keys, example: Example): Case[] {
  const { isOfOwner = false, isMoreToOwner = false, isOfPublic = false } = example;
  const { lacking } = keys;
  const { scopes: needed, template } = operation;
  // A key must be valid even if the operation needs none.
  const bad: Expected = isServiceRead(operation) ? 'public' : 'unauthorised';
  const common: Case[] = [
    { name: 'garbage', key: 'garbage', expected: bad },
    { name: 'garbage of the right form', key: keys.unknown, expected: bad },
    { name: 'a wrong checksum', key: keys.wrongChecksum, expected: bad },
    { name: 'a revoked key', key: keys.revoked, expected: bad },
    { name: 'another scheme', key: keys.owner, scheme: 'Basic', expected: bad },
  ];
  if (needed === null) {
    // Anonymous writes create a new object each time, so their responses differ.
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
 * All errors in a response, in words.
 *
 * @param context the response to the same request without a key, whether responses vary over time, and the forbidden
 *   contents of a response
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
    // A proxy must not cache responses to requests with a key.
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
