// The minimum work of a service in a separate process: a driver that sends prepared statements, with one connection per
// client.
import postgres, { type Sql } from 'postgres';
import { obey } from './child.ts';
import { type Pace, type Pressed, press } from './press.ts';

export interface Statement {
  text: string;
  values: readonly (string | number | null)[];
}

export interface BareLoad extends Omit<Pace, 'choices'> {
  databaseUrl: string;
  /** Session settings of each connection, the same as the service's. */
  session: Record<string, number>;
  /** Statements of each work item; several form one transaction. */
  work: readonly (readonly Statement[])[];
}

let sql: Sql | null = null;
let opened = '';

/** Connections and their prepared statements persist between rounds. */
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
