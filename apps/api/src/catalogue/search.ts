import { matches, matchNames, toNamed } from '@inferboard/core/find/match';
import { byMatch, type Found, searchCatalogue } from '@inferboard/core/find/search-catalogue';
import { readSearch, type Search } from '@inferboard/core/find/words';
import {
  findAccountsByPrefix,
  findSubmissionsByText,
  findSystemsByIdStart,
  findSystemsByWords,
} from '@inferboard/db/catalogue/search-find';
import type { Queryable } from '@inferboard/db/connection/transaction';

/** Maximum number of entries per kind in a response. */
const eachMax = 10;

const kinds = ['model', 'gpu', 'quantization', 'engine', 'system', 'account', 'submission'] as const;

async function systems(db: Queryable, text: string, search: Search): Promise<Found[]> {
  const toFound = ({ id, label }: { id: string; label: string }, match: Found['match']): Found => ({
    ...{ kind: 'system', id, name: label, detail: null, match },
  });
  if (/^sys_[0-9a-f]{1,40}$/.test(text)) {
    const found = await findSystemsByIdStart(db, text, eachMax);
    return found.map((system) => toFound(system, system.id === text ? 'exact' : 'prefix'));
  }
  const found = await findSystemsByWords(db, search);
  return found.map((system) => toFound(system, matchNames(search, toNamed([system.label])) ?? 'words'));
}

async function accounts(db: Queryable, text: string): Promise<Found[]> {
  const found = await findAccountsByPrefix(db, text, eachMax);
  return found.map(({ id, name, standing }) => ({
    ...{ kind: 'account', id, name, detail: standing },
    match: id === text || name.toLowerCase() === text.toLowerCase() ? 'exact' : 'prefix',
  }));
}

async function submissions(db: Queryable, text: string): Promise<Found[]> {
  const found = await findSubmissionsByText(db, text, eachMax);
  return found.map(({ id, tool, account, status, retracted }) => ({
    ...{
      kind: 'submission',
      id,
      name: id,
      detail: [tool, `by ${account}`, retracted ? 'retracted' : status].join(' · '),
    },
    match: text.startsWith('sub_') && id !== text ? 'prefix' : 'exact',
  }));
}

/** Ids and checksums are not compared with names. */
const isId = (text: string) => /^(?:(?:sys|sub|res|acc)_[0-9a-f]+|[0-9a-f]{64})$/.test(text);

/**
 * Everything that matches a text, grouped by kind. The kind with the best match comes first, and within a kind the best match.
 */
export async function searchAll(db: Queryable, given: string): Promise<Found[]> {
  const text = given.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim();
  const search = readSearch(text);
  if (search === null) return [];
  const found = (
    await Promise.all([
      isId(text) ? [] : searchCatalogue(text, search),
      systems(db, text, search),
      accounts(db, text),
      submissions(db, text),
    ])
  ).flat();
  const groups = kinds.map((kind) => found.filter((entry) => entry.kind === kind).toSorted(byMatch));
  const rankOf = ([best]: Found[]) => (best === undefined ? matches.length : matches.indexOf(best.match));
  return groups.toSorted((a, b) => rankOf(a) - rankOf(b)).flatMap((group) => group.slice(0, eachMax));
}
