import { isIP } from 'node:net';
import { formatKind, parseAddress } from './address.ts';
import { type Fault, OutboundRefusal, refuse } from './failures.ts';
import { hostNameFaults, normalizeName } from './host-name.ts';
import { hasPort, type Policy, type Rules, scopeOf } from './policy.ts';

const urlLengthMax = 2048;

/** The parts of an accepted URL. The text is parsed once, and only these parts are used. */
export interface CheckedUrl {
  /** Scheme, host and port; credentials are bound to it. */
  readonly origin: string;
  /** A name without the trailing dot, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Path and query. */
  readonly path: string;
  /** True if the host is an address. */
  readonly literal: boolean;
}

const schemeFault: Fault = {
  code: 'scheme_not_allowed',
  message: 'The URL is not https.',
  hint: 'Serve it over https, or ask the operator to open its network.',
};

/** Faults of scheme and port under these rules. */
export function ruleFaults(url: Pick<CheckedUrl, 'tls' | 'port'>, rules: Rules): Fault[] {
  const faults: Fault[] = [];
  if (!url.tls && !rules.http) faults.push(schemeFault);
  if (!hasPort(rules, url.port)) {
    const ports = rules.ports.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(', ');
    const message = `Port ${url.port} is not allowed.`;
    faults.push({
      code: 'port_not_allowed',
      message,
      hint: ports === '' ? 'No port is allowed.' : `Use one of ${ports}.`,
    });
  }
  return faults;
}

/**
 * The applicable rules of a name depend on its addresses. The name must meet at least one set of rules here, and the right one
 * after resolution.
 */
function nameFaults(url: CheckedUrl, policy: Policy): Fault[] {
  const here = ruleFaults(url, policy.internet);
  const faults = policy.allowed.length > 0 && ruleFaults(url, policy.networks).length === 0 ? [] : here;
  return [...faults, ...hostNameFaults(url.host)];
}

function literalFaults(url: CheckedUrl, policy: Policy): Fault[] {
  const address = parseAddress(url.host);
  const scope = address === null ? null : scopeOf(address, policy);
  if (scope !== null) return ruleFaults(url, policy[scope]);
  const kind = address === null ? 'unreadable' : formatKind(address);
  const hint = 'Give a public address, or ask the operator to name its network in ENDPOINT_ALLOW_CIDRS.';
  const refused: Fault = {
    code: 'address_not_allowed',
    message: `${url.host} is not a public address (${kind}).`,
    hint,
  };
  return [...ruleFaults(url, policy.internet), refused];
}

function textFaults(url: URL): Fault[] {
  const faults: Fault[] = [];
  if (url.username !== '' || url.password !== '') {
    const hint = 'Remove the part before the @, and give a key as the credential.';
    faults.push({ code: 'userinfo_present', message: 'The URL has a user name or password.', hint });
  }
  if (url.hash !== '') {
    const hint = 'Remove the # and what follows.';
    faults.push({ code: 'fragment_present', message: 'The URL has a fragment.', hint });
  }
  return faults;
}

/** @throws OutboundRefusal `url_invalid` or `url_too_long` */
function parseUrl(text: string): URL {
  if (text.length > urlLengthMax) {
    const message = `The URL has more than ${urlLengthMax} characters.`;
    throw new OutboundRefusal([{ code: 'url_too_long', message, hint: 'Give a shorter one.' }]);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') {
    const hint = 'Give an absolute one, such as https://api.example.com/v1.';
    throw new OutboundRefusal([{ code: 'url_invalid', message: 'The text is not a URL.', hint }]);
  }
  // Without a host and port, nothing else in an ftp: or file: URL can be checked.
  if (!/^https?:$/.test(url.protocol)) throw new OutboundRefusal([schemeFault]);
  return url;
}

/**
 * Checks a user-supplied URL against the policy without a DNS lookup.
 *
 * @throws OutboundRefusal with all faults
 */
export function checkUrl(text: string, policy: Policy): CheckedUrl {
  const parsed = parseUrl(text);
  const tls = parsed.protocol === 'https:';
  const bare = parsed.hostname.replace(/^\[|\]$/g, '');
  const literal = isIP(bare) !== 0;
  const host = literal ? bare : normalizeName(bare);
  const authority = isIP(bare) === 6 ? `[${host}]` : host;
  const url: CheckedUrl = {
    origin: `${parsed.protocol}//${authority}${parsed.port === '' ? '' : `:${parsed.port}`}`,
    host,
    port: Number(parsed.port || (tls ? 443 : 80)),
    tls,
    path: `${parsed.pathname}${parsed.search}`,
    literal,
  };
  refuse([...textFaults(parsed), ...(literal ? literalFaults(url, policy) : nameFaults(url, policy))]);
  return Object.freeze(url);
}
