import { createRandom, type Random } from '../../packages/core/src/testing/random.ts';
import type { Body } from '../acceptance/world.ts';

/** An account with its key. */
export interface Account {
  id: string;
  name: string;
  key: string;
  /** Id of that key. */
  keyId: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Null if the body is not JSON. */
  body: Body;
}

interface Request {
  method?: string;
  key?: string | null;
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Client of the attacked service. */
export class World {
  readonly url: string;
  readonly adminKey: string;
  /** Unique for each run, so that no data of earlier runs match. */
  readonly run: string;
  readonly random: Random;
  #accounts = 0;

  constructor({ url, adminKey, seed }: { url: string; adminKey: string; seed: number }) {
    this.url = url.replace(/\/+$/, '');
    this.adminKey = adminKey;
    this.run = seed.toString(36);
    this.random = createRandom(seed);
  }

  /** Sends a request and returns any response. */
  async send(path: string, { method, key = null, json, body = undefined }: Request = {}): Promise<Reply> {
    const headers = {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = json === undefined ? body : JSON.stringify(json);
    const usual = sent === undefined ? 'GET' : 'POST';
    const answer = await fetch(this.url + path, { method: method ?? usual, headers, ...(sent && { body: sent }) });
    const text = await answer.text();
    const isJson = /^application\/(problem\+)?json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, text, body: isJson && text ? JSON.parse(text) : null };
  }

  /** Reads data that must exist. */
  async get(path: string): Promise<Body> {
    const { status, text, body } = await this.send(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`);
    return body ?? text;
  }

  async #register(key: string | null): Promise<Account> {
    this.#accounts += 1;
    const name = `${key === null ? 'stranger' : 'lab'} ${this.run} no ${this.#accounts}`;
    const { status, text, body } = await this.send('/v1/accounts', { key, json: { name } });
    if (status === 429)
      throw new Error('Registrations of this address are used up: start a fresh service, or wait an hour.');
    if (status !== 201) throw new Error(`POST /v1/accounts: ${status} ${text.slice(0, 300)}`);
    return { id: body.id, name, key: body.key.key, keyId: body.key.id };
  }

  /** Registers a new account. An IP address can create 30 per hour. */
  stranger(): Promise<Account> {
    return this.#register(null);
  }

  /** Creates an account as admin. */
  vouched(): Promise<Account> {
    return this.#register(this.adminKey);
  }

  /** Submits an artifact and returns any response. */
  submit({ key }: Account, artifact: string, parameters: Record<string, string> = {}): Promise<Reply> {
    return this.send(`/v1/submissions?${new URLSearchParams({ ...parameters, full: 'true' })}`, {
      key,
      body: artifact,
    });
  }

  /** Submits an artifact that must be stored. */
  async stored(account: Account, artifact: string, parameters: Record<string, string> = {}): Promise<Body> {
    const { status, text, body } = await this.submit(account, artifact, parameters);
    if (status !== 201) throw new Error(`POST /v1/submissions: ${status} ${text.slice(0, 300)}`);
    return body;
  }

  /** All submissions of an account with any status, newest first. */
  async resultsOf({ id }: Account): Promise<Body[]> {
    const include = 'provisional,simulated,not_repetitions,quarantined,retracted';
    return (await this.get(`/v1/results?full=true&account=${id}&include=${include}&limit=200`)).data;
  }

  /** The entries of a board. */
  async board(query: Record<string, string>): Promise<Body[]> {
    return (await this.get(`/v1/leaderboard?full=true&${new URLSearchParams({ limit: '200', ...query })}`)).data;
  }
}
