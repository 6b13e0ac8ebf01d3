import postgres, { type Options, type PostgresType, type Sql, type TransactionSql } from 'postgres';
import { isConnectionLost } from './errors.ts';

/*
 * The driver (3.4.9) writes to a connection that is gone where a transaction still holds it, which ends the process: it
 * undoes what failed because the connection was lost, and sends what comes after a pause in which it was lost. And it has
 * no setting that keeps it from pipelining and lets it begin transactions. Here is what keeps it from both.
 */

/** What of the driver is looked at here. */
interface Query {
  handler(query: Query): void;
}
type Debug = ((connection: number, statement: string, ...more: unknown[]) => void) | false;

type Work<T> = (tx: TransactionSql) => T | Promise<T>;
type Begin = <T>(...args: [Work<T>] | [string, Work<T>]) => Promise<T>;

/** Of a transaction: whether its connection is gone. */
interface Watch {
  isGone: boolean;
  /** Null until the first statement was sent. */
  connection: number | null;
  /** Fails the transaction now. */
  lose: () => void;
}

/**
 * True for a statement that failed with its connection: the driver puts the statement into its error. What the server
 * answered with ERROR, whatever the code, it goes on from.
 */
function isOfLostConnection(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const isAnswer = 'severity' in cause && cause.severity === 'ERROR';
    // One without a code is wrapped around the driver's.
    if ('code' in cause && 'query' in cause && !isAnswer && isConnectionLost(cause)) return true;
  }
  return false;
}

const lostError = () => Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });

/** The transaction fails by what the driver hears of its connection; its callback must have nothing more to say. A new one each time, for it would keep all who wait for it. */
const forever = () => new Promise<never>(() => {});

/**
 * A client of the driver.
 *
 * @param isOneAtATime sends no statement before the one before it on its connection was answered, where the driver sends on
 *   when all connections are busy: a pooler hands a connection on at the end of a transaction, even where more has come
 */
export function connect(url: string, options: Options<Record<string, PostgresType>>, isOneAtATime: boolean): Sql {
  const watches = new Set<Watch>();
  let isBegin = false;
  const settings = {
    ...options,
    onclose: (connection: number) => {
      for (const watch of watches) if (watch.connection === connection) watch.isGone = true;
    },
    // Compared with a number after each statement was built.
    ...(isOneAtATime ? { max_pipeline: { valueOf: () => (isBegin ? 1 : 0) } } : {}),
  };
  const sql = postgres(url, settings as typeof options);
  const own = sql.options as unknown as { debug: Debug };
  // Told of every statement when it is built. Only where it is needed: the driver notes stacks while it is set.
  own.debug = isOneAtATime && ((_connection, statement) => (isBegin = statement.startsWith('begin')));

  /** Notes on which connection a statement goes. */
  const learn = (query: Query, watch: Watch): void => {
    const { handler } = query;
    // Named before they are put where they are called from: decision 0029.
    const send = (sent: Query) => {
      // Somebody else may listen.
      const before = own.debug;
      const listen = (connection: number, statement: string, ...more: unknown[]) => {
        watch.connection = connection;
        if (before) before(connection, statement, ...more);
      };
      own.debug = listen;
      try {
        handler(sent);
      } finally {
        own.debug = before;
      }
    };
    query.handler = send;
  };

  /** The transaction as its callback may use it. */
  const guard = (tx: TransactionSql, watch: Watch): TransactionSql => {
    const send = (make: () => unknown) => {
      if (watch.isGone) throw lostError();
      const query = make();
      if (watch.connection === null && query instanceof Promise) learn(query as unknown as Query, watch);
      return query;
    };
    return new Proxy(tx, {
      apply: (target, self, args) => send(() => Reflect.apply(target as never, self, args)),
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (name === 'unsafe') return (...args: unknown[]) => send(() => Reflect.apply(value as never, target, args));
        if (name !== 'savepoint') return value;
        return (...args: unknown[]) => {
          const work = args.pop() as Work<unknown>;
          return target.savepoint(...(args as []), (inner: TransactionSql) => carryOut(inner, work, watch));
        };
      },
    });
  };

  const carryOut = async <T>(tx: TransactionSql, work: Work<T>, watch: Watch): Promise<T> => {
    try {
      const result = await work(guard(tx, watch));
      return watch.isGone ? await forever() : result;
    } catch (error) {
      if (watch.isGone || isOfLostConnection(error)) return await forever();
      throw error;
    }
  };

  const begin = sql.begin.bind(sql) as Begin;
  const ownBegin: Begin = async (...args) => {
    const [mode, work] = args.length === 1 ? ['', args[0]] : args;
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const watch: Watch = { isGone: false, connection: null, lose: () => reject(lostError()) };
    watches.add(watch);
    try {
      return await Promise.race([begin(mode, (tx) => carryOut(tx, work, watch)), lost]);
    } finally {
      watches.delete(watch);
    }
  };

  // A server that answers nothing does not close its side either, and the driver hears no end of the connection.
  const end = sql.end.bind(sql);
  const ownEnd: typeof end = async (options) => {
    await end(options);
    for (const watch of watches) {
      watch.isGone = true;
      watch.lose();
    }
  };
  return Object.assign(sql, { begin: ownBegin, end: ownEnd });
}
