import type { Sql, TransactionSql } from 'postgres';

/** Told when a statement is handed to the driver, answers what is told when it is over. */
export type StatementObserver = () => (ended: { statement: string; failed: boolean }) => void;

let observer: StatementObserver | null = null;

/** Watches every statement that drizzle sends from this thread from now on, and the commits of its transactions. */
export function observeStatements(begin: StatementObserver): void {
  observer = begin;
}

/** Tells the observer when a statement ends, however it does. Does not start it, as its own `then` would. */
function watch(statement: string, work: Promise<unknown>): void {
  const end = observer?.();
  if (end === undefined) return;
  const tell = (failed: boolean) => () => end({ statement, failed });
  void Promise.prototype.then.call(work, tell(false), tell(true));
}

/** A client, or a transaction's, whose statements are watched. */
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

/** Makes what drizzle sends over a client known to the observer, while there is one. */
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
    // Nobody watches where there is no observer.
    committing.promise.catch(() => {});
    return outcome;
  };
  return Object.assign(observeUnsafe(client), { begin: watched });
}
