import type { CheckedUrl } from './check-url.ts';
import type { Fault } from './failures.ts';

/** A secret of an endpoint, and the only origin that may receive it. */
export interface Authorization {
  /** The registered scheme, host and port, such as `https://api.example.com`. */
  readonly origin: string;
  /** The complete value of the Authorization header, such as `Bearer …`. */
  readonly value: string;
}

/** Headers that we set, or that could make a server behind a proxy parse a different request. */
const ownHeaders = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const hasToken = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
const hasValue = (value: string): boolean => /^[\t\x20-\x7e]*$/.test(value);

/** Faults of a request's headers. Names the headers, never their values. */
export function headerFaults(
  url: CheckedUrl,
  headers: Readonly<Record<string, string>>,
  authorization: Authorization | undefined,
): Fault[] {
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.has(name.toLowerCase())) {
      const hint = 'Omit it. Use the credential field instead.';
      faults.push({ code: 'header_not_allowed', message: `The header ${name} cannot be set.`, hint });
    } else if (!hasToken(name) || !hasValue(value)) {
      const hint = 'Use printable ASCII on one line.';
      faults.push({ code: 'header_invalid', message: `A header cannot be sent (${JSON.stringify(name)}).`, hint });
    }
  }
  if (authorization === undefined) return faults;
  if (!hasValue(authorization.value)) {
    const hint = 'Give the key again, as printable ASCII on one line.';
    faults.push({ code: 'header_invalid', message: 'The credential cannot be sent.', hint });
  }
  if (authorization.origin !== url.origin) {
    const message = `The credential belongs to ${authorization.origin}, not to ${url.origin}.`;
    faults.push({
      code: 'credential_elsewhere',
      message,
      hint: 'Register an endpoint of that origin with its credential.',
    });
  }
  return faults;
}

/** The response headers that callers can read. */
const readHeaders = [
  'content-encoding',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
  'location',
  'retry-after',
] as const;
export type AnswerHeaders = Readonly<Partial<Record<(typeof readHeaders)[number], string>>>;

/** If a header occurs twice, the first value counts. */
export function pickHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  const picked: { -readonly [Name in keyof AnswerHeaders]: AnswerHeaders[Name] } = {};
  for (const name of readHeaders) {
    const value = [headers[name]].flat()[0];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
