// Clients of the service in a separate process. Each has a persistent connection and sends the next request after a complete
// response.
import { obey } from './child.ts';
import { type Asked, openConnection, toBytes } from './http-connection.ts';
import { type Pace, type Pressed, press } from './press.ts';

export interface Load extends Omit<Pace, 'choices'> {
  url: string;
  requests: readonly Asked[];
  /** The expected status of every response; any other fails the round. Null for any. */
  status: number | null;
}

obey(async ({ url, requests, status, ...pace }: Load): Promise<Pressed> => {
  const to = new URL(url);
  const connections = Array.from({ length: pace.clients }, () => openConnection(to, status));
  // Repeated requests are serialised once.
  const bytes = pace.isOnce ? null : requests.map((asked) => toBytes(to, asked));
  try {
    return await press({ ...pace, choices: requests.length }, async (choice, client) => {
      const [connection, asked] = [connections[client], requests[choice]];
      if (connection === undefined || asked === undefined) throw new Error('there is nothing to ask');
      await connection.ask(bytes?.[choice] ?? toBytes(to, asked)).catch((error: Error) => {
        throw new Error(`${asked.path}: ${error.message}`);
      });
    });
  } finally {
    for (const connection of connections) connection.close();
  }
});
