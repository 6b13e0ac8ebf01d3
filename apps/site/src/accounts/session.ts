import { createHash, timingSafeEqual } from 'node:crypto';

// The browser session: a cookie that scripts cannot read, which holds an API token. The API accepts no cookies, so other sites
// cannot use the session there. Pages of this site accept a form only from their own origin and with the session's form token.

/** With the `__Host-` prefix, browsers accept the cookie only over HTTPS, from this host and for every path. */
const nameOf = (isEncrypted: boolean) => (isEncrypted ? '__Host-inferboard' : 'inferboard');

const attributesOf = (isEncrypted: boolean) => `Path=/; HttpOnly; SameSite=Lax${isEncrypted ? '; Secure' : ''}`;

/** The session token of a request; null without one. */
export function readToken(request: Request, isEncrypted: boolean): string | null {
  const name = nameOf(isEncrypted);
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  const value = pairs.find(([key]) => key === name)?.[1] ?? '';
  return /^ibs_[0-9A-Za-z]{36}$/.test(value) ? value : null;
}

/** The `Set-Cookie` header of a new session. */
export const cookieOf = ({ token, expires_at }: { token: string; expires_at: string }, isEncrypted: boolean): string =>
  `${nameOf(isEncrypted)}=${token}; ${attributesOf(isEncrypted)}; Expires=${new Date(expires_at).toUTCString()}`;

/** The `Set-Cookie` header that deletes the session cookie. */
export const forgottenCookie = (isEncrypted: boolean): string =>
  `${nameOf(isEncrypted)}=; ${attributesOf(isEncrypted)}; Max-Age=0`;

/** The form token of a session. A page that cannot read the cookie cannot compute it. */
export const formTokenOf = (token: string): string => createHash('sha256').update(`form ${token}`).digest('base64url');

/** Whether a form has the form token of this session. */
export function isFormTokenOf(token: string, given: string): boolean {
  const [wanted, sent] = [Buffer.from(formTokenOf(token)), Buffer.from(given)];
  return wanted.length === sent.length && timingSafeEqual(wanted, sent);
}

/**
 * Whether a page of this origin posted the form, by `Sec-Fetch-Site`, or by `Origin` if the browser does not send it.
 * Clients that send neither header are not browsers, so no visitor can be deceived.
 *
 * @param publicUrl public base URL of the site; behind a proxy the request's host can differ
 */
export function isFromHere(request: Request, publicUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none';
  const origin = request.headers.get('origin');
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return [request.headers.get('host'), new URL(publicUrl).host].includes(host);
}
