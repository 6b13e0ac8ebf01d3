import postgres, { type Options, type PostgresType, type ReservedSql, type Sql } from 'postgres';
import { isConnectionLost } from './errors.ts';

type Work<T> = (tx: ReservedSql) => Promise<T>;
/** Sends one statement; tells what the server did by its word for it. */
type Say = (statement: string) => Promise<string>;

/** What the driver's `begin` hands to its callback has these. */
function addSavepoints(held: ReservedSql, say: Say): void {
  let count = 0;
  const savepoint = async <T>(work: Work<T>): Promise<T> => {
    count += 1;
    const name = `s${count}`;
    await say(`savepoint ${name}`);
    try {
      const result = await work(held);
      await say(`release savepoint ${name}`);
      return result;
    } catch (error) {
      if (!isConnectionLost(error)) await say(`rollback to savepoint ${name}`);
      throw error;
    }
  };
  Object.assign(held, { savepoint });
}

/**
 * A client that sends no statement before the one before it on its connection was answered, where the driver's own sends
 * on when all connections are busy. The driver's `begin` learns its connection only while it may do that, so this client
 * has one of ours, by a reserved connection.
 */
export function connectOneAtATime(url: string, options: Options<Record<string, PostgresType>>): Sql {
  let lost = 0;
  const onclose = () => {
    lost += 1;
  };
  // Its types do not know the last one.
  const settings = { ...options, onclose, max_pipeline: 0 };
  const sql = postgres(url, settings);
  const begin = async <T>(...args: [Work<T>] | [string, Work<T>]): Promise<T> => {
    const [mode, work] = args.length === 1 ? ['', args[0]] : args;
    const held = await sql.reserve();
    const lostBefore = lost;
    const say: Say = async (statement) => (await held.unsafe(statement)).command;
    // The driver has closed what it lost, which takes no more statements and is not to be given back.
    const isGone = (error: unknown) => lost > lostBefore && isConnectionLost(error);
    addSavepoints(held, say);
    try {
      await say(`begin ${mode}`);
      const result = await work(held);
      // What a failed statement leaves to commit is nothing, even where its error was passed over.
      if ((await say('commit')) !== 'COMMIT') throw new Error('a statement of this transaction failed');
      held.release();
      return result;
    } catch (error) {
      if (!isGone(error)) {
        await say('rollback');
        held.release();
      }
      throw error;
    }
  };
  return Object.assign(sql, { begin });
}
