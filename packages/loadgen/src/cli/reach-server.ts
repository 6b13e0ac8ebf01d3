import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveEngine } from '@inferboard/core/catalogue/index';
import type { Side } from '../compare-servers/paired.ts';
import { messageIn } from '../measure/records/outcome.ts';
import { redact, secretsOf } from '../measure/records/redact.ts';
import { detectServerApi } from '../points/detect-server-api.ts';
import { PromptRefusedError, refusalOf } from '../points/refusal.ts';
import type { ModelServer } from '../points/server.ts';
import { endpointOf, pathOf, prefixOf } from '../points/server.ts';
import { countingBody, readPromptTokens } from '../prompts/body.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import type { CountTokens } from '../prompts/calibrator.ts';
import { dialectOfEngine } from '../prompts/dialects.ts';
import { reasonAt } from './network/reason-of.ts';
import { reachFault, responseLimits_ms } from './network/response-limits.ts';
import { schemeFault } from './network/scheme.ts';
import { statusAdvice } from './network/status-advice.ts';
import type { MeasureOptions } from './options.ts';

/** The server did not answer as a model server does. */
export class ServerError extends Error {}

const isUnauthorized = (status: number) => status === 401 || status === 403;

const keyOptions: Record<Side, string> = { a: '--api-key-env', b: '--against-key-env' };

/** How to give the server a key that it accepts. */
const keyHint = (hasKey: boolean, side: Side) =>
  hasKey
    ? `\nCheck the key in the environment variable that ${keyOptions[side]} names.`
    : `\nSet an environment variable to the key of the server, and name the variable with ${keyOptions[side]}.`;

/** The server answered with an error. */
class StatusError extends ServerError {
  readonly status: number;
  /** The body of the response. */
  readonly text: string;

  constructor(url: string, status: number, text: string, hint = '') {
    const message = messageIn(text).message.replace(/\s+/g, ' ').trim().slice(0, 300);
    super(`${url} returned ${status}${message === '' ? '.' : `: ${message}`}${hint}`);
    this.status = status;
    this.text = text;
  }
}

/** Maximum attempts for one request to a server that is busy or fails. */
const attemptsMax = 4;
const pause_ms = 250;

async function ask(url: string, init: RequestInit, attempt: number): Promise<{ response: Response; text: string }> {
  // The first request for text may load the model.
  const limit = AbortSignal.timeout(responseLimits_ms[init.method === 'POST' ? 'long' : 'quick']);
  const response = await fetch(url, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.any([init.signal, limit].filter((signal) => signal != null)),
  });
  const text = await response.text();
  const isPassing = response.status === 429 || response.status >= 500;
  if (!isPassing || attempt === attemptsMax) return { response, text };
  await sleep(pause_ms * attempt);
  return ask(url, init, attempt + 1);
}

async function toServerError(url: URL, error: unknown): Promise<ServerError> {
  return new ServerError(`${url.origin} cannot be reached: ${await reasonAt(url, error)}`);
}

/** The error of a server that responded with an error. */
async function statusError(
  url: string,
  { response, text }: { response: Response; text: string },
  headers: Readonly<Record<string, string>>,
  side: Side,
): Promise<ServerError> {
  const { status } = response;
  const { origin, pathname, protocol } = new URL(url);
  // Some ports with TLS respond to requests without it.
  const fault = status === 400 && protocol === 'http:' ? await schemeFault(new URL(url)) : null;
  if (fault !== null) return new ServerError(`${origin} returned 400: ${fault}`);
  const advice = statusAdvice(new URL(url), response);
  const hint = isUnauthorized(status)
    ? keyHint(headers.authorization !== undefined, side)
    : advice === null
      ? ''
      : `\n${advice}`;
  return new StatusError(`${origin}${status === 404 ? pathname : ''}`, status, redact(text, secretsOf(headers)), hint);
}

async function askJson(url: string, init: RequestInit, side: Side): Promise<unknown> {
  const { origin: shown } = new URL(url);
  let answer: { response: Response; text: string };
  try {
    answer = await ask(url, init, 1);
  } catch (error) {
    throw await toServerError(new URL(url), error);
  }
  const headers = init.headers as Record<string, string>;
  if (!answer.response.ok) throw await statusError(url, answer, headers, side);
  const text = redact(answer.text, secretsOf(headers));
  try {
    return JSON.parse(text);
  } catch {
    const start = messageIn(text).message.slice(0, 300);
    throw new ServerError(
      `${shown} returned text instead of JSON: ${start}\nCheck the host, the port and the path of the URL.`,
    );
  }
}

/** The headers of every request to the server, the credential included. */
export const headersOf = (
  { traffic }: Pick<MeasureOptions, 'traffic'>,
  apiKey: string | null,
): Record<string, string> => ({
  ...traffic.headers,
  ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
});

/** @throws ServerError if the port does not use the scheme of the URL, or does not respond */
export async function checkServer(
  { url, traffic }: Pick<MeasureOptions, 'url' | 'traffic'>,
  apiKey: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const list = new URL(`${origin}${prefixOf(pathname)}/v1/models`);
  const fault = await reachFault(list, { headers: headersOf({ traffic }, apiKey), signal });
  if (fault !== null) throw new ServerError(`${origin} cannot be reached: ${fault}`);
}

/** The model that is chosen, else the first that the server lists. @throws ServerError */
export async function findModel(
  options: Pick<MeasureOptions, 'url' | 'model' | 'traffic'>,
  apiKey: string | null,
  signal: AbortSignal,
  side: Side,
): Promise<string> {
  if (options.model !== null) return options.model;
  const { origin, pathname } = new URL(options.url);
  return firstModel(`${origin}${prefixOf(pathname)}`, headersOf(options, apiKey), signal, side);
}

/** A URL of another service, or a path that the server does not have, is more likely than a server without a list. */
const notListing =
  '\nCheck the host, the port and the path of the URL. If the server does not list its models, name one with --model.';

async function firstModel(
  base: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  side: Side,
): Promise<string> {
  const answer = (await askJson(`${base}/v1/models`, { headers, signal }, side).catch((error: unknown) => {
    if (error instanceof StatusError && error.status === 404) error.message += notListing;
    throw error;
  })) as { data?: { id?: unknown }[] } | null;
  const id = answer?.data?.[0]?.id;
  if (typeof id !== 'string') throw new ServerError('The server lists no models. Name one with --model.');
  return id;
}

/**
 * The server at a URL that the user typed. Any address is allowed. The host name is resolved once,
 * and every connection uses that address.
 *
 * @throws ServerError also if the server rejects the credential
 */
export async function reachServer(
  options: MeasureOptions,
  apiKey: string | null,
  signal: AbortSignal,
  side: Side,
): Promise<ModelServer> {
  const url = new URL(options.url);
  const tls = url.protocol === 'https:';
  const prefix = prefixOf(url.pathname);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host).catch(() => null);
  if (found === null) throw new ServerError(`The host name ${host} is unknown. Check the URL.`);
  const headers = headersOf(options, apiKey);
  const fixed = options.endpoint ?? endpointOf(url.pathname);
  const server: ModelServer = {
    connect: { host, port: Number(url.port) || (tls ? 443 : 80), address: found.address, tls },
    prefix,
    headers,
    model: await findModel(options, apiKey, signal, side),
    endpoint: fixed ?? 'chat',
    dialect: dialectOfEngine(options.system.engine === null ? null : resolveEngine(options.system.engine).id),
    forcing: 'ignore_eos',
    extra: options.traffic.extraBody,
  };
  return detectServerApi(server, fixed, async (path, body) => {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, signal, body };
    const answer = await ask(`${url.origin}${path}`, init, attemptsMax).catch(async (error: unknown) => {
      throw await toServerError(url, error);
    });
    const { response, text } = answer;
    if (isUnauthorized(response.status)) throw await statusError(url.origin, answer, headers, side);
    return { status: response.status, text };
  });
}

/** A refusal of a prompt for its length as what it is; any other error as it is. */
function toRefused(error: unknown): unknown {
  const refusal = error instanceof StatusError ? refusalOf(error.status, messageIn(error.text).message) : null;
  return refusal === null ? error : new PromptRefusedError(refusal);
}

/**
 * Counts by the `usage` of a request for one token, to the measured endpoint of server A. A prompt that is too long for the server
 * is a `PromptRefusedError`.
 */
export function countByUsage(server: ModelServer, origin: string, signal: AbortSignal): CountTokens {
  return async (prompt, system) => {
    const init = {
      method: 'POST',
      headers: { ...server.headers, 'content-type': 'application/json' },
      signal,
      body: JSON.stringify(countingBody({ ...server, prompt, ...(system !== undefined && { system }) })),
    };
    const answer = await askJson(`${origin}${pathOf(server)}`, init, 'a').catch((error: unknown) => {
      throw toRefused(error);
    });
    const tokens = readPromptTokens(answer);
    if (tokens === null)
      throw new CalibrationError(
        'count_invalid',
        'the server does not report the tokens of a prompt (usage.prompt_tokens)',
      );
    return tokens;
  };
}
