import { exitCodes, Failure } from './world.ts';

/** One thing wrong with a request. */
export interface Fault {
  code: string;
  message: string;
  hint?: string;
  parameter?: string;
}

/** A refusal of the service. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: Fault[];
}

/** The service refused a request. */
export class Refused extends Failure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const faults = (problem.errors ?? []).map(({ message, hint }) => `  - ${[message, hint].join(' ').trim()}`);
    // Too many requests, or the service is at fault: the same may work later.
    const isLater = problem.status === 429 || problem.status >= 500;
    const text = [`Refused: ${problem.title}. ${problem.detail}`, ...faults].join('\n');
    super(isLater ? exitCodes.unreachable : exitCodes.refused, text);
    this.problem = problem;
  }
}

type Query = Record<string, string>;

/** An Inferboard over HTTP. Every call throws `Refused` or, where nothing answers, `Failure`. */
export interface Service {
  url: string;
  get<T>(path: string, query?: Query): Promise<T>;
  getText(path: string, query?: Query): Promise<string>;
  post(path: string, query: Query, body: Uint8Array<ArrayBuffer>): Promise<string>;
}

const timeout_ms = 120_000;
/** Refusals are always wanted as documents, also where the answer is a text. */
const accept = 'application/json, text/plain, application/problem+json';

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'status' in value;
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
};

/** The service at an address. */
export function createService({ url, key }: { url: string; key: string | null }): Service {
  const ask = async (path: string, query: Query, init: RequestInit = {}): Promise<string> => {
    const words = new URLSearchParams(query).toString();
    const headers = { accept, ...init.headers, ...(key !== null && { authorization: `Bearer ${key}` }) };
    let response: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(timeout_ms);
      response = await fetch(`${url}${path}${words && `?${words}`}`, { ...init, headers, redirect: 'manual', signal });
      text = await response.text();
    } catch (error) {
      throw new Failure(exitCodes.unreachable, `${url} cannot be reached: ${reasonOf(error)}`);
    }
    if (response.ok) return text;
    const problem = toJson(text);
    if (isProblem(problem)) throw new Refused(problem);
    throw new Failure(exitCodes.unreachable, `${url} answers ${response.status}, not as an Inferboard does.`);
  };
  const toJson = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  const json = (text: string): unknown => {
    const value = toJson(text);
    if (value === null) throw new Failure(exitCodes.unreachable, `${url} does not answer as an Inferboard does.`);
    return value;
  };
  return {
    url,
    get: async <T>(path: string, query: Query = {}) => json(await ask(path, query)) as T,
    getText: (path, query = {}) => ask(path, query),
    post: (path, query, body) =>
      ask(path, query, { method: 'POST', body, headers: { 'content-type': 'application/octet-stream' } }),
  };
}
