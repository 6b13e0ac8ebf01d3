import type { Client, Dispatcher } from 'undici';
import { type CheckedUrl, checkUrl } from './check-url.ts';
import { openConnection } from './connect.ts';
import { describeError, OutboundFailure, OutboundRefusal, refuse } from './failures.ts';
import { type AnswerHeaders, type Authorization, headerFaults, pickHeaders } from './headers.ts';
import { beginExchange } from './observe-exchanges.ts';
import type { Policy } from './policy.ts';
import { type Lookup, resolveTarget, type Target } from './resolve-target.ts';

/** Far above the needs of a legitimate server. */
export interface Limits {
  /** From the DNS lookup to the last byte of the body. */
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
  /** The caller's signal to abort. */
  readonly signal?: AbortSignal;
}

/** A response whose body was not read yet. */
export interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Throws an `OutboundFailure` if the server disconnects or exceeds a limit. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Maximum informational responses, such as 103. Each may have as many headers as the final response. */
const interimMax = 8;

function toFailure(error: unknown, host: string, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof OutboundFailure) return signal.reason;
  if (error instanceof OutboundFailure || error instanceof OutboundRefusal) return error;
  const detail = `${host}: ${describeError(error)}`;
  if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundFailure('too large', detail);
  return new OutboundFailure('no answer', detail);
}

/** One signal for the deadline and the caller, aborted with the matching failure. */
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
 * A client for one request over one connection. Without the connection limit, the client would reconnect repeatedly to a server
 * that closes each connection.
 */
async function createClient(
  url: CheckedUrl,
  target: Target,
  policy: Policy,
  limits: Limits,
  signal: AbortSignal,
): Promise<Client> {
  // Loaded for the first request: it is a seventh of the modules of an API process, and most send none.
  const { Client } = await import('undici');
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

/** Counts the received bytes, regardless of the announced length. */
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

/** Space for one chunk beyond the body limit, to detect a body that is too large. */
const chunkBytes = 65_536;

/**
 * Sends one request. `take` reads the response before the connection is closed. Redirects are ordinary responses. Proxies from
 * the environment are ignored: a proxy would resolve the name again without a check.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; no request was sent
 * @throws OutboundFailure if there was no complete response within the limits
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
    client = await createClient(url, target, policy, limits, signal);
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
      // If a server closes without announcing it while the body waits to be read, undici reports a complete response as
      // aborted. The buffer therefore holds the whole body; the limit bounds its memory.
      highWaterMark: limits.bodyBytesMax + chunkBytes,
      onInfo: () => {
        interim += 1;
        if (interim > interimMax)
          deadline.fail(new OutboundFailure('too large', `${url.host}: too many interim responses`));
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
