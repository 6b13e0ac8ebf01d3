import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Attack, type Family, holds } from './attack.ts';
import type { Account, World } from './world.ts';

const [aDay, atOnce] = [50, 4];
const secret = 'what a stranger must not learn';

/** A third-party server that did not agree to be measured, and the requests that it received. */
class Target {
  asked = 0;
  mostAtOnce = 0;
  readonly #server: Server;
  #underWay = 0;

  constructor() {
    this.#server = createServer((_, response) => {
      this.asked += 1;
      this.#underWay += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
      response.on('close', () => {
        this.#underWay -= 1;
      });
      // Long enough for concurrent requests to arrive.
      setTimeout(() => response.writeHead(418, { 'x-secret': secret }).end(secret), 30);
    });
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Checks that the server received no more than the allowed requests. */
  count(): string {
    holds(this.asked <= aDay, `${this.asked} requests came`);
    holds(this.mostAtOnce <= atOnce, `${this.mostAtOnce} requests at once`);
    if (this.asked === 0) return 'no request came: this installation calls no addresses of this machine';
    return `${this.asked} requests came, ${this.mostAtOnce} at once`;
  }
}

/** The id of an endpoint; null if it is rejected. */
async function register(world: World, { key }: Account, name: string, base_url: string): Promise<string | null> {
  const { status, text, body } = await world.send('/v1/endpoints', {
    key,
    json: { name, base_url, model: 'llama-3.1-8b' },
  });
  if (status >= 500 || status === 409) throw new Error(`POST /v1/endpoints: ${status} ${text.slice(0, 200)}`);
  return status === 201 ? body.id : null;
}

/** Sends many requests with a limited concurrency. */
async function flood(asks: readonly (() => Promise<unknown>)[], most = 24): Promise<void> {
  const waiting = [...asks];
  const worker = async () => {
    for (let ask = waiting.shift(); ask !== undefined; ask = waiting.shift()) await ask();
  };
  await Promise.all(Array.from({ length: most }, worker));
}

const otherSpellings = (port: number) => [
  ...[`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/v1`, `http://127.0.0.1:${port}/V1/`],
  ...[`http://127.0.0.1:${port}/a/b/../c`, `http://127.0.0.1:${port}//`, `HTTP://127.0.0.1:${port}`],
  ...[`http://127.1:${port}`, `http://2130706433:${port}`, `http://0x7f.0.0.1:${port}`, `http://0177.0.0.1:${port}`],
  ...[`http://[::ffff:127.0.0.1]:${port}`, `http://[::ffff:7f00:1]:${port}`, `http://localhost:${port}`],
  ...[`http://LOCALHOST:${port}`, `http://localhost.:${port}`, `http://a.localhost:${port}`],
  ...[`http://user@127.0.0.1:${port}`, `http://１２７.0.0.1:${port}`, `http://127。0。0。1:${port}`],
  ...[`http://ⓛocalhost:${port}`, `http://127.0.0.1:0${port}`, `http://127.0.0.1.:${port}`],
];

/** Attacks that direct load at third parties. */
export const budget: Family = async (world) => {
  const [one, other] = [await world.stranger(), await world.stranger()];
  const must = `at most ${aDay} requests a day and ${atOnce} at once at that origin, of all accounts together`;
  const attack = (name: string, ask: (port: number) => Promise<(() => Promise<unknown>)[]>): Attack => ({
    ...{ name, must },
    attempt: async () => {
      const target = new Target();
      try {
        const port = await target.open();
        await flood(await ask(port));
        return target.count();
      } finally {
        await target.close();
      }
    },
  });
  const post = (path: string, { key }: Account) => world.send(path, { method: 'POST', key });
  const times = <T>(count: number, make: (place: number) => T) => Array.from({ length: count }, (_, at) => make(at));
  const drop = (id: string, { key }: Account) => world.send(`/v1/endpoints/${id}`, { method: 'DELETE', key });
  return [
    attack('400 checks and 400 proofs of an unproven endpoint by one key', async (port) => {
      const id = await register(world, one, `flood ${port}`, `http://127.0.0.1:${port}`);
      return times(800, (at) => () => post(`/v1/endpoints/${id}/${at % 2 === 0 ? 'check' : 'prove'}`, one));
    }),
    attack('41 endpoints at one origin', async (port) => {
      const ids: string[] = [];
      for (let at = 0; at < 41; at += 1) {
        const id = await register(world, other, `many ${port} ${at}`, `http://127.0.0.1:${port}/${at}`);
        if (id !== null) ids.push(id);
      }
      return [
        ...ids.flatMap((id) => times(3, () => () => post(`/v1/endpoints/${id}/check`, other))),
        ...ids.map((id) => () => drop(id, other)),
      ];
    }),
    attack('one origin in every spelling, by two accounts', async (port) => {
      const asks: (() => Promise<unknown>)[] = [];
      for (const [at, base] of otherSpellings(port).entries()) {
        const account = at % 2 === 0 ? one : other;
        const id = await register(world, account, `spelled ${port} ${at}`, base);
        if (id !== null) asks.push(...times(12, () => () => post(`/v1/endpoints/${id}/check`, account)));
      }
      return asks;
    }),
    attack('an endpoint that is removed and registered again', async (port) => [
      async () => {
        for (let round = 0; round < 6; round += 1) {
          const id = await register(world, one, `again ${port} ${round}`, `http://127.0.0.1:${port}`);
          if (id === null) continue;
          for (let at = 0; at < 10; at += 1) await post(`/v1/endpoints/${id}/check`, one);
          await drop(id, one);
        }
      },
    ]),
    attack('checks, proofs and tests of a webhook', async (port) => {
      const id = await register(world, one, `hooked ${port}`, `http://127.0.0.1:${port}`);
      const hook = await world.send('/v1/webhooks', {
        key: one.key,
        json: { url: `http://127.0.0.1:${port}/hook`, events: ['run.ended'] },
      });
      const tests = hook.status === 201 ? times(40, () => () => post(`/v1/webhooks/${hook.body.id}/test`, one)) : [];
      return [...times(60, (at) => () => post(`/v1/endpoints/${id}/${at % 2 ? 'check' : 'prove'}`, one)), ...tests];
    }),
    {
      ...{ name: 'a check that reads what the target says', must: 'no more than the class of its status' },
      attempt: async () => {
        const target = new Target();
        try {
          const port = await target.open();
          const id = await register(world, one, `read ${port}`, `http://127.0.0.1:${port}`);
          const said = [await post(`/v1/endpoints/${id}/check`, one), await post(`/v1/endpoints/${id}/prove`, one)];
          // Ports and ids may contain the digits.
          for (const { text } of said) holds(!text.includes(secret) && !/\b418\b/.test(text), text.slice(0, 200));
          return `${said[0]?.body?.status ?? 'no status'}`;
        } finally {
          await target.close();
        }
      },
    },
  ];
};
