import type { Queryable } from './transaction.ts';

interface Round<Answer> {
  keys: Set<string>;
  answers: Promise<ReadonlyMap<string, Answer>>;
}

/**
 * Combines lookups of one turn of the event loop into one statement per database, so that requests that arrive together share
 * it.
 */
export function gather<Answer>(
  ask: (db: Queryable, keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
): (db: Queryable, key: string) => Promise<Answer | null> {
  const rounds = new WeakMap<Queryable, Round<Answer>>();
  const begin = (db: Queryable): Round<Answer> => {
    const keys = new Set<string>();
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const answers = turn.then(() => {
      rounds.delete(db);
      return ask(db, [...keys]);
    });
    const round = { keys, answers };
    rounds.set(db, round);
    return round;
  };
  return async (db, key) => {
    const { keys, answers } = rounds.get(db) ?? begin(db);
    keys.add(key);
    return (await answers).get(key) ?? null;
  };
}
