// Clients of the service in a process of their own: each has a connection that stays open and sends the next request when
// it has the whole answer.
import { Client } from 'undici';
import { obey } from './child.ts';
import { type Pace, type Pressed, press } from './press.ts';

/** A request; GET if there is no body. */
export interface Asked {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Load extends Omit<Pace, 'choices'> {
  url: string;
  requests: readonly Asked[];
  /** The status that each answer has to have; another one fails the round. Null for any. */
  status: number | null;
}

function ask(client: Client, { path, headers, body }: Asked, status: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let wrong: Buffer[] | null = null;
    client.dispatch(
      { path, method: body === undefined ? 'GET' : 'POST', headers: headers ?? {}, body: body ?? null },
      {
        onRequestStart: () => {},
        onResponseStart: (_, statusCode) => {
          answered = statusCode;
          if (status !== null && statusCode !== status) wrong = [];
        },
        onResponseData: (_, chunk) => void wrong?.push(chunk),
        onResponseEnd: () => {
          if (wrong === null) resolve();
          else reject(new Error(`${path}: ${answered} ${Buffer.concat(wrong).toString().slice(0, 300)}`));
        },
        onResponseError: (_, error) => reject(new Error(`${path}: ${error.message}`)),
      },
    );
  });
}

obey(async ({ url, requests, status, ...pace }: Load): Promise<Pressed> => {
  const connections = Array.from(
    { length: pace.clients },
    () => new Client(url, { pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 }),
  );
  try {
    return await press({ ...pace, choices: requests.length }, async (choice, client) => {
      const [connection, asked] = [connections[client], requests[choice]];
      if (connection === undefined || asked === undefined) throw new Error('there is nothing to ask');
      await ask(connection, asked, status);
    });
  } finally {
    await Promise.all(connections.map((connection) => connection.destroy()));
  }
});
