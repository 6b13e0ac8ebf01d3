import { reasonAt } from '@inferboard/loadgen/cli/network/reason-of';
import { reachFault, responseLimits_ms } from '@inferboard/loadgen/cli/network/response-limits';
import { missingTls, schemeFault } from '@inferboard/loadgen/cli/network/scheme';
import { foreignAdvice } from '@inferboard/loadgen/cli/network/status-advice';
import { type SigningKey, signatureOf } from '@inferboard/loadgen/cli/stored-login';
import { withOptions } from '@inferboard/loadgen/cli/words/fact-options';
import { commandWords } from '@inferboard/loadgen/view/command-words';
import { facts } from './facts.ts';
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

/** What to do in the client about an error, by its code; null if nothing. The service's own message is about HTTP. */
function remedyOf(code: string): string | null {
  if (code === 'key_missing') return `Run ${commandWords('login')}, or set INFERBOARD_KEY.`;
  if (code === 'key_unknown') return `Run ${commandWords('login')} with another key, or set INFERBOARD_KEY.`;
  return null;
}

const parameters = Object.keys(facts);

/** A message of the service with flags instead of parameters. */
export const withFlags = (text: string): string => withOptions(text, parameters);

const withStop = (text: string): string => `${text}${/[.!?:]$/u.test(text) ? '' : '.'}`;

/** A message and a hint as sentences, with flags instead of parameters. */
const sentencesOf = ({ message, hint }: Fault): string =>
  withFlags(hint === undefined ? message : `${withStop(message)} ${hint}`);

/** The errors, one a line. Those that each name a supported tool are one line with the names. */
function linesOf(faults: readonly Fault[]): string[] {
  const tools = faults.filter(({ code }) => code === 'tool_not_found');
  const others = faults.filter(({ code }) => code !== 'tool_not_found');
  const lines = others.map((fault) => `  - ${sentencesOf(fault)}`);
  if (tools.length < 2) return [...lines, ...tools.map((fault) => `  - ${sentencesOf(fault)}`)];
  const names = tools.map(({ message }) => message.split(': ', 1)[0]).join(', ');
  return [...lines, `  - Supported tools: ${names}. To see what each prints, run the command with --json.`];
}

/** The service refused a request. */
export class Refused extends Failure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const [only, ...others] = problem.errors ?? [];
    // A single error repeats the detail.
    const isRepeated = others.length === 0 && only !== undefined && withStop(only.message) === withStop(problem.detail);
    const detail = isRepeated ? sentencesOf(only) : withFlags(problem.detail);
    const faults = isRepeated ? [] : linesOf(problem.errors ?? []);
    // Too many requests, or the service is at fault: the same may work later.
    const isLater = problem.status === 429 || problem.status >= 500;
    const remedy = remedyOf(problem.code);
    const lines = [`Error: ${problem.title}. ${detail}`, ...faults, ...(remedy === null ? [] : [remedy])];
    super(isLater ? exitCodes.unreachable : exitCodes.refused, lines.join('\n'));
    this.problem = problem;
  }

  /** Whether the same request with another file may succeed: the service accepts the key. */
  get isAboutFile(): boolean {
    return this.exitCode === exitCodes.refused && this.problem.status !== 401 && this.problem.status !== 403;
  }
}

type Query = Record<string, string>;

/** An Inferboard over HTTP. Every call throws `Refused` or, where nothing answers, `Failure`. */
export interface Service {
  url: string;
  get<T>(path: string, query?: Query): Promise<T>;
  getText(path: string, query?: Query): Promise<string>;
  /** POSTs JSON. */
  make<T>(path: string, body: object): Promise<T>;
  /** POSTs an artifact, signed if there is a signing key. */
  submit(query: Query, artifact: Uint8Array<ArrayBuffer>): Promise<string>;
}

/** Refusals are always wanted as documents, also where the answer is a text. */
const accept = 'application/json, text/plain, application/problem+json';

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'status' in value;
}

/** How to reach a service. */
interface Reached {
  url: string;
  key: string | null;
  signing?: SigningKey | null;
}

/** Responses that the service computes for the request, or after it has received a file. Others are ready. */
const mayTakeLong = (path: string, query: Query, init: RequestInit) =>
  path === '/v1/best' || query.full === 'true' || (path === '/v1/submissions' && init.method === 'POST');

/** The service at an address. */
export function createService({ url, key, signing = null }: Reached): Service {
  const base = new URL(url);
  const fail = (reason: string) => new Failure(exitCodes.unreachable, `${url} cannot be reached: ${reason}`);
  let checked: Promise<string | null> | null = null;
  const ask = async (path: string, query: Query, init: RequestInit = {}): Promise<string> => {
    const words = new URLSearchParams(query).toString();
    const headers = { accept, ...init.headers, ...(key !== null && { authorization: `Bearer ${key}` }) };
    const isLong = mayTakeLong(path, query, init);
    checked ??= isLong ? reachFault(new URL(`${url}/healthz`)) : missingTls(base);
    const fault = await checked;
    if (fault !== null) throw fail(fault);
    let response: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(responseLimits_ms[isLong ? 'long' : 'quick']);
      response = await fetch(`${url}${path}${words && `?${words}`}`, { ...init, headers, redirect: 'manual', signal });
      text = await response.text();
    } catch (error) {
      throw fail(await reasonAt(base, error));
    }
    // Other servers, and proxies that ask for a login, respond with pages.
    const isPage = response.headers.get('content-type')?.includes('html') === true;
    if (response.ok && !isPage) return text;
    const problem = toJson(text);
    if (isProblem(problem)) throw new Refused(problem);
    // Some ports with TLS respond to requests without it.
    const scheme = response.status === 400 ? await schemeFault(base) : null;
    const returned = `${url} returned ${response.ok ? 'a page' : response.status}`;
    const advice = foreignAdvice(base, response);
    throw new Failure(exitCodes.unreachable, scheme === null ? `${returned}. ${advice}` : `${returned}: ${scheme}`);
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
    if (value === null) throw new Failure(exitCodes.unreachable, `${url} is not an Inferboard service.`);
    return value;
  };
  return {
    url,
    get: async <T>(path: string, query: Query = {}) => json(await ask(path, query)) as T,
    getText: (path, query = {}) => ask(path, query),
    make: async <T>(path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      return json(await ask(path, {}, { method: 'POST', body: JSON.stringify(body), headers })) as T;
    },
    submit: (query, body) => {
      const words = { ...query, ...signatureOf(signing, body) };
      return ask('/v1/submissions', words, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/octet-stream' },
      });
    },
  };
}
