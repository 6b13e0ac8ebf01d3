import type { Sql, TransactionSql } from 'postgres';

/** Called when a statement is passed to the driver. Returns a callback for its end. */
export type StatementObserver = () => (ended: { statement: string; failed: boolean }) => void;

let observer: StatementObserver | null = null;

/** Observes all statements that drizzle sends from this thread from now on, and the commits of its transactions. */
export function observeStatements(begin: StatementObserver): void {
  observer = begin;
}

/** Notifies the observer when a statement settles. Does not start the statement, as its own `then` would. */
function watch(statement: string, work: Promise<unknown>): void {
  const end = observer?.();
  if (end === undefined) return;
  const endWith = (failed: boolean) => () => end({ statement, failed });
  void Promise.prototype.then.call(work, endWith(false), endWith(true));
}

/** A client, or a transaction's client, with observed statements. */
function observeUnsafe<T extends Pick<Sql, 'unsafe'>>(client: T): T {
  const { unsafe } = client;
  const watched = (statement: string, ...more: []) => {
    const query = unsafe(statement, ...more);
    watch(statement, query);
    return query;
  };
  return Object.assign(client, { unsafe: watched });
}

type Work = (tx: TransactionSql) => unknown;

function observeTransaction(tx: TransactionSql): TransactionSql {
  const { savepoint } = tx;
  const watched = (work: Work) => savepoint((inner) => work(observeTransaction(inner)));
  return Object.assign(observeUnsafe(tx), { savepoint: watched });
}

/** Reports the statements that drizzle sends over a client to the observer, if one is set. */
export function observeClient(client: Sql): Sql {
  const { begin } = client;
  const watched = (work: Work) => {
    const committing = Promise.withResolvers<void>();
    const outcome = begin(async (tx) => {
      const result = await work(observeTransaction(tx));
      watch('commit', committing.promise);
      return result;
    });
    outcome.then(() => committing.resolve(), committing.reject);
    // Without an observer, no handler is attached.
    committing.promise.catch(() => {});
    return outcome;
  };
  return Object.assign(observeUnsafe(client), { begin: watched });
}
