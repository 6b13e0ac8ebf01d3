// The least that a service could do, in a process of its own: the driver that sends prepared statements, a connection for
// each client.
import postgres, { type Sql } from 'postgres';
import { obey } from './child.ts';
import { type Pace, type Pressed, press } from './press.ts';

export interface Statement {
  text: string;
  values: readonly (string | number | null)[];
}

export interface BareLoad extends Omit<Pace, 'choices'> {
  databaseUrl: string;
  /** What each connection is set to, as those of the service are. */
  session: Record<string, number>;
  /** Statements of each piece of work; several are one transaction. */
  work: readonly (readonly Statement[])[];
}

let sql: Sql | null = null;
let opened = '';

/** Connections stay open between rounds, with the statements that they have prepared. */
async function open({ databaseUrl, session, clients }: BareLoad): Promise<Sql> {
  const wanted = `${databaseUrl} ${clients}`;
  if (sql !== null && opened === wanted) return sql;
  await sql?.end();
  opened = wanted;
  sql = postgres(databaseUrl, { max: clients, onnotice: () => {}, connection: session });
  return sql;
}

async function send(to: Pick<Sql, 'unsafe'>, { text, values }: Statement): Promise<void> {
  await to.unsafe(text, [...values], { prepare: true });
}

obey(
  async (load: BareLoad): Promise<Pressed> => {
    const { work } = load;
    const client = await open(load);
    return press({ ...load, choices: work.length }, async (choice) => {
      const [first, ...others] = work[choice] ?? [];
      if (first === undefined) throw new Error('there is nothing to send');
      if (others.length === 0) return send(client, first);
      await client.begin(async (tx) => {
        for (const statement of [first, ...others]) await send(tx, statement);
      });
    });
  },
  async () => sql?.end(),
);
