import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql as text } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, describe, expect, test } from 'vitest';
import { useTestDatabase, withConnection } from '../testing/index.ts';
import { createDatabase, type Database } from './client.ts';

const place = useTestDatabase();

/** A statement that ends only with its connection, and the number of running ones. */
const lasting = text`select pg_sleep(25)`;
const lastingUnderWay = (count: number) =>
  expect
    .poll(() =>
      withConnection(place.url, async (sql) => {
        const [row] = await sql<{ n: number }[]>`
          select count(*)::int as n from pg_stat_activity
          where datname = current_database() and state = 'active' and query = 'select pg_sleep(25)'`;
        return row?.n;
      }),
    )
    .toBe(count);

/** Yields to the event loop often enough for socket events to arrive on a busy machine. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await sleep(2);
}

/** Splits a stream into protocol messages: a letter, a length and a body. */
function createCutter(onMessage: (letter: string) => void, hasStart: boolean) {
  let rest = Buffer.alloc(0);
  let isStart = hasStart;
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = isStart ? 0 : 1;
      if (rest.length < head + 4) return;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      onMessage(isStart ? 'start' : String.fromCharCode(rest[0] ?? 0));
      rest = rest.subarray(end);
      isStart = false;
    }
  };
}

/** A proxy that counts requests sent before the response to the previous one. */
async function startRelay(target: { host: string; port: number }) {
  let early = 0;
  let resetsNextLogin = false;
  const open = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(target);
    let unanswered = 0;
    const heard = createCutter((letter) => {
      if (unanswered > 0) early += 1;
      if (letter === 'Q' || letter === 'S') unanswered += 1;
    }, true);
    const answered = createCutter((letter) => {
      // ReadyForQuery; the first one ends the login.
      if (letter === 'Z' && unanswered > 0) unanswered -= 1;
    }, false);
    for (const [from, to, look] of [[near, far, heard] as const, [far, near, answered] as const]) {
      open.add(from);
      from.on('data', (bytes: Buffer) => {
        if (resetsNextLogin && bytes.includes('pg_catalog.pg_type')) {
          resetsNextLogin = false;
          from.resetAndDestroy();
          return;
        }
        look(bytes);
        to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    early: () => early,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    /** Resets the next new connection while the driver reads the array types. */
    resetNextLogin: () => {
      resetsNextLogin = true;
    },
    /** Drops all traffic without closing connections, like a disconnected machine. */
    freeze: () => {
      for (const socket of open) socket.removeAllListeners('data').removeAllListeners('close').pause();
    },
    /** Closes connections in order, like a server shutdown. */
    hangUp: () => {
      for (const socket of open) socket.end();
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const ended: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
  // The server continues a statement whose connection is lost.
  await withConnection(
    place.url,
    (sql) => sql`
      select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(25)'`,
  );
});

async function open(query: string) {
  const { hostname, port, username, password, pathname } = new URL(place.url);
  const relay = await startRelay({ host: hostname, port: Number(port) });
  const database = createDatabase(`postgres://${username}:${password}@127.0.0.1:${relay.port}${pathname}${query}`, {
    poolSize: 2,
  });
  ended.push(
    () => relay.stop(),
    () => database.close(1),
  );
  return { relay, database };
}

/** Runs far more statements, with and without values, and transactions than there are connections. */
const muchAtOnce = ({ sql, db }: Database): Promise<number[]> =>
  Promise.all(
    Array.from({ length: 90 }, async (_, i) => {
      if (i % 3 === 0) return (await sql<{ n: number }[]>`select ${i}::int as n`)[0]?.n ?? -1;
      if (i % 3 === 1) return ((await sql.unsafe(`select ${i} as n`))[0]?.n as number | undefined) ?? -1;
      return db.transaction(async (tx) => {
        const [row] = await tx.execute<{ n: number }>(text`select ${i}::int as n, pg_sleep(0.001)`);
        return row?.n ?? -1;
      });
    }),
  );
const all = Array.from({ length: 90 }, (_, i) => i);

describe('behind a pooler', () => {
  test('sends no request before the previous one is answered', async () => {
    const { relay, database } = await open('?pgbouncer=true');
    expect(await muchAtOnce(database)).toEqual(all);
    expect(relay.early()).toBe(0);
  });

  test('pipelines requests without a pooler', async () => {
    const { relay, database } = await open('');
    expect(await muchAtOnce(database)).toEqual(all);
    expect(relay.early()).toBeGreaterThan(0);
  });

  test('supports commit, rollback, nesting and modes of transactions, and releases connections', async () => {
    const { database } = await open('?pgbouncer=true');
    const { sql, db } = database;
    await sql`create table noted (n int primary key)`;
    const note = (tx: Pick<typeof db, 'execute'>, n: number) => tx.execute(text`insert into noted values (${n})`);
    const noted = async () => (await sql<{ n: number }[]>`select n from noted order by n`).map(({ n }) => n);

    await db.transaction((tx) => note(tx, 1));
    await expect(
      db.transaction(async (tx) => {
        await note(tx, 2);
        throw new Error('on purpose');
      }),
    ).rejects.toThrow('on purpose');
    await db.transaction(async (tx) => {
      await note(tx, 3);
      await expect(tx.transaction((inner) => note(inner, 1))).rejects.toThrow();
      await tx.transaction((inner) => note(inner, 4));
    });
    expect(await noted()).toEqual([1, 3, 4]);

    // After an ignored error there is nothing to commit, and the commit reports it.
    await expect(
      db.transaction(async (tx) => {
        await note(tx, 5);
        await note(tx, 1).catch(() => {});
      }),
    ).rejects.toMatchObject({ code: '23505' });
    await expect(db.transaction((tx) => note(tx, 6), { accessMode: 'read only' })).rejects.toMatchObject({
      cause: { code: '25006' },
    });
    await sql.begin('isolation level serializable', async (tx) => {
      const [row] = await tx`show transaction_isolation`;
      expect(row).toEqual({ transaction_isolation: 'serializable' });
    });
    // By now, more transactions than connections have committed or failed.
    expect(await noted()).toEqual([1, 3, 4]);
    expect(await muchAtOnce(database)).toEqual(all);
  });
});

// The driver alone would end the process.
test.each(['', '?pgbouncer=true'])('a connection that is lost at its start fails one statement%s', async (query) => {
  const { relay, database } = await open(query);
  relay.resetNextLogin();
  await expect(database.db.execute(text`select 1`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(await muchAtOnce(database)).toEqual(all);
});

// The driver alone would end the process in the first two cases.
describe.each([
  ['behind a pooler', '?pgbouncer=true'],
  ['at the server', ''],
])('%s, a lost connection within a transaction', (_where, query) => {
  const lost = { cause: { code: expect.stringMatching(/^(?:CONNECTION_CLOSED|ECONNRESET|EPIPE)$/) } };

  test('fails the transaction that continues after a pause, and nothing else', async () => {
    const { relay, database } = await open(query);
    const { db } = database;
    const outcome = db.transaction(async (tx) => {
      await tx.execute(text`select 1`);
      relay.cut();
      await manyTurns();
      await tx.execute(text`select 2`);
      throw new Error('not reached');
    });
    await expect(outcome).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await muchAtOnce(database)).toEqual(all);
  });

  test('fails a transaction that only has to commit', async () => {
    const { relay, database } = await open(query);
    const outcome = database.db.transaction(async (tx) => {
      await tx.execute(text`select 1`);
      relay.cut();
      await manyTurns();
    });
    await expect(outcome).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await muchAtOnce(database)).toEqual(all);
  });

  test.each(['cut', 'hangUp'] as const)('fails running statements (%s), also within savepoints', async (how) => {
    const { relay, database } = await open(query);
    const { db, sql } = database;
    const sleeps = [
      db.transaction((tx) => tx.execute(lasting)),
      db.transaction((tx) => tx.transaction((inner) => inner.execute(lasting))),
    ];
    await lastingUnderWay(2);
    relay[how]();
    const outcomes = await Promise.allSettled(sleeps);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await muchAtOnce(database)).toEqual(all);
    expect((await sql`select 1 as n`)[0]).toEqual({ n: 1 });
  });

  test('fails when the client is closed, even if the server does not respond', async () => {
    const { relay, database } = await open(query);
    const { db } = database;
    const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const outcomes = Promise.allSettled([
      db.transaction((tx) => Promise.all([tx.execute(lasting), tx.execute(lasting)])),
      db.transaction(async (tx) => {
        await tx.execute(text`select 1`);
        begun.resolve();
        await closed.promise;
        await tx.execute(text`select 2`);
      }),
    ]);
    await Promise.all([lastingUnderWay(1), begun.promise]);
    relay.freeze();
    await database.close(0);
    closed.resolve();
    const outcome = await outcomes;
    expect(outcome.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('is not assumed if the server rejects a statement with such a code', async () => {
    const { database } = await open(query);
    for (let time = 0; time < 3; time += 1) {
      const refused = database.db.transaction((tx) =>
        tx.execute(text`do $$ begin raise exception 'no' using errcode = '08006'; end $$`),
      );
      await expect(refused).rejects.toMatchObject({ cause: { code: '08006' } });
    }
    expect(await muchAtOnce(database)).toEqual(all);
  });

  test('repeatedly leaves all connections usable', async () => {
    const { relay, database } = await open(query);
    for (let round = 0; round < 10; round += 1) {
      const some = Array.from({ length: 6 }, () =>
        database.db.transaction(async (tx) => {
          for (let step = 0; step < 20; step += 1) await tx.execute(text`select pg_sleep(0.002)`);
        }),
      );
      await sleep(5 + 7 * round);
      relay[round % 2 === 0 ? 'cut' : 'hangUp']();
      for (const { reason } of (await Promise.allSettled(some)).filter((one) => one.status === 'rejected'))
        expect(reason.cause === undefined ? { cause: reason } : reason).toMatchObject(lost);
    }
    expect(await muchAtOnce(database)).toEqual(all);
  });
});

test('a running transaction survives the maximum lifetime of its connection', async () => {
  const sql = postgres(place.url, { max: 1, max_lifetime: 0.2, prepare: false });
  try {
    for (let round = 0; round < 3; round += 1) {
      const pid = await sql.begin(async (tx) => {
        const [row] = await tx`select pg_backend_pid() as pid, pg_sleep(0.3)`;
        return row?.pid;
      });
      expect(pid).toEqual(expect.any(Number));
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
});
