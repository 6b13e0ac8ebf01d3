import postgres from 'postgres';

/** Told when a statement is handed to a connection, answers what is told when it is over. */
export type StatementObserver = () => (ended: { statement: string; failed: boolean }) => void;

/** What of the driver's queries is looked at here. */
interface Query {
  executed: boolean;
  strings: readonly string[];
  string?: string;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  handle(): unknown;
}

let observer: StatementObserver | null = null;

function observe(query: Query, begin: StatementObserver): void {
  const end = begin();
  const { resolve, reject } = query;
  // What was sent has places for values, and no values.
  const statement = () => query.string ?? query.strings.join('?');
  // Named before they are put into it: decision 0029.
  const succeed = (value: unknown) => {
    end({ statement: statement(), failed: false });
    resolve(value);
  };
  const fail = (reason: unknown) => {
    end({ statement: statement(), failed: true });
    reject(reason);
  };
  query.resolve = succeed;
  query.reject = fail;
}

/**
 * Watches every statement that this thread sends from now on, those that begin and commit transactions too, whoever sends
 * it. The driver has no place for that but the class of its queries; while nobody watches it is left as it is.
 */
export function observeStatements(begin: StatementObserver): void {
  const isFirst = observer === null;
  observer = begin;
  if (!isFirst) return;
  // Opens no connection: what is not waited for is not sent.
  const prototype = Object.getPrototypeOf(postgres({ max: 1 })`select 1`) as Query;
  const { handle } = prototype;
  prototype.handle = function (this: Query) {
    if (!this.executed && observer !== null) observe(this, observer);
    return handle.call(this);
  };
}
