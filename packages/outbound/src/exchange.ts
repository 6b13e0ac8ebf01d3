import { Client, type Dispatcher, errors } from 'undici';
import { type CheckedUrl, checkUrl } from './check-url.ts';
import { openConnection } from './connect.ts';
import { describeError, OutboundFailure, OutboundRefusal, refuse } from './failures.ts';
import { type AnswerHeaders, type Authorization, headerFaults, pickHeaders } from './headers.ts';
import { beginExchange } from './observe-exchanges.ts';
import type { Policy } from './policy.ts';
import { type Lookup, resolveTarget, type Target } from './resolve-target.ts';

/** Nothing an honest server needs comes near these. */
export interface Limits {
  /** From the look-up to the last byte of the body. */
  readonly timeout_ms: number;
  readonly headerBytesMax: number;
  readonly bodyBytesMax: number;
}

export interface ExchangeOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly authorization?: Authorization;
  readonly limits?: Partial<Limits>;
  readonly lookup?: Lookup;
  /** The caller's own reason to give up. */
  readonly signal?: AbortSignal;
}

/** An answer whose body has not been read. */
export interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Ends in an `OutboundFailure` when the server breaks off or goes past a limit. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Answers before the answer, such as 103: each has room for headers of its own. */
const interimMax = 8;

function toFailure(error: unknown, host: string, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof OutboundFailure) return signal.reason;
  if (error instanceof OutboundFailure || error instanceof OutboundRefusal) return error;
  const detail = `${host}: ${describeError(error)}`;
  if (error instanceof errors.HeadersOverflowError) return new OutboundFailure('too large', detail);
  return new OutboundFailure('no answer', detail);
}

/** One signal for the deadline and the caller, aborted with the failure that it means. */
function startDeadline(host: string, timeout_ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const late = () => controller.abort(new OutboundFailure('timed out', `${host}: not done within ${timeout_ms} ms`));
  const cancel = () => controller.abort(new OutboundFailure('canceled', `${host}: canceled by the caller`));
  const timer = setTimeout(late, timeout_ms);
  caller?.addEventListener('abort', cancel, { once: true });
  if (caller?.aborted) cancel();
  return {
    signal: controller.signal,
    fail: (failure: OutboundFailure) => controller.abort(failure),
    clear: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', cancel);
    },
  };
}

/**
 * A client for one request over one connection. Without the limit of one, a server that closes what it accepts would make
 * the client knock again and again.
 */
function createClient(url: CheckedUrl, target: Target, policy: Policy, limits: Limits, signal: AbortSignal): Client {
  let connections = 0;
  return new Client(url.origin, {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: limits.headerBytesMax,
    // The deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      connections += 1;
      const opened =
        connections === 1
          ? openConnection(target, policy, signal)
          : Promise.reject(new OutboundFailure('no answer', `${url.host}: closed before the request was sent`));
      opened.then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

/** Counts what arrives, whatever was announced. */
async function* boundedBody(body: AsyncIterable<Uint8Array>, host: string, max: number, signal: AbortSignal) {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > max) throw new OutboundFailure('too large', `${host}: a body of more than ${max} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw toFailure(error, host, signal);
  }
}

/** Room for a chunk beyond the limit of a body, with which it is seen to be too large. */
const chunkBytes = 65_536;

/**
 * One request and its answer, which `take` reads before the connection is closed. Redirects are answers like any other.
 * No proxy is used, whatever the environment says: it would resolve the name again, where nothing is checked.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; nothing was sent
 * @throws OutboundFailure if there was no whole answer within the limits
 */
export async function exchange<T>(
  given: CheckedUrl | string,
  options: ExchangeOptions & { readonly limits: Limits },
  policy: Policy,
  take: (head: Head) => Promise<T>,
): Promise<T> {
  const { method = 'GET', headers = {}, body = null, authorization, limits } = options;
  const url = typeof given === 'string' ? checkUrl(given, policy) : given;
  refuse(headerFaults(url, headers, authorization));
  const end = beginExchange({ method, host: url.host });
  let status: number | null = null;
  let words: string | null = null;
  const deadline = startDeadline(url.host, limits.timeout_ms, options.signal);
  const { signal } = deadline;
  let client: Client | undefined;
  try {
    const lookup = options.lookup === undefined ? {} : { lookup: options.lookup };
    const target = await resolveTarget(url, policy, { ...lookup, signal });
    client = createClient(url, target, policy, limits, signal);
    let interim = 0;
    const sent: Dispatcher.RequestOptions = {
      method,
      path: url.path,
      headers: {
        'accept-encoding': 'identity',
        ...headers,
        'user-agent': policy.userAgent,
        ...(authorization === undefined ? {} : { authorization: authorization.value }),
      },
      body,
      signal,
      reset: true,
      // undici takes a server that closes while the body waits to be read, without having said that it would, for one that
      // broke off, and an answer that is whole for one that is not. So nothing waits: the limit bounds the memory.
      highWaterMark: limits.bodyBytesMax + chunkBytes,
      onInfo: () => {
        interim += 1;
        if (interim > interimMax)
          deadline.fail(new OutboundFailure('too large', `${url.host}: endless interim answers`));
      },
    };
    const answer = await client.request(sent).catch((error: unknown) => {
      throw toFailure(error, url.host, signal);
    });
    status = answer.statusCode;
    return await take({
      status,
      headers: pickHeaders(answer.headers),
      body: boundedBody(answer.body, url.host, limits.bodyBytesMax, signal),
    });
  } catch (error) {
    words = error instanceof OutboundFailure || error instanceof OutboundRefusal ? error.words : 'failed';
    throw error;
  } finally {
    end({ status, words });
    deadline.clear();
    await client?.destroy();
  }
}
