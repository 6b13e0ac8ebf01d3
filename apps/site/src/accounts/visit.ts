import type { Me } from '@inferboard/api/client';
import { readForm, textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import type { AccountApi } from './account-api.ts';
import { cookieOf, forgottenCookie, formTokenOf, isFormTokenOf, isFromHere, readToken } from './session.ts';

/** Maximum size of a form, bytes. */
const formBytesMax = 64 * 1024;

/** The request of an account page. */
interface Asked {
  request: Request;
  locals: App.Locals;
  response: ResponseInit & { readonly headers: Headers };
}

/** The visitor: a signed-in account or an anonymous client. */
export interface Visit {
  me: Me | null;
  /** API client with the visitor's session. */
  api: AccountApi;
  /** Token of the session; null if the visitor is not signed in. */
  token: string | null;
  /** The form token of the session; empty if the visitor is not signed in. */
  formToken: string;
  /** Why the account could not be read. */
  problem: Problem | null;
}

/**
 * Identifies the visitor. The page is private: it is not cached, and other sites do not receive its URL in `Referer`. Deletes
 * the cookie of an expired session.
 */
export async function openVisit({ request, locals, response }: Asked): Promise<Visit> {
  response.headers.set('cache-control', 'no-store');
  response.headers.set('referrer-policy', 'same-origin');
  const token = readToken(request, locals.isEncrypted);
  const stranger: Visit = { me: null, api: locals.openAccount(null), token: null, formToken: '', problem: null };
  if (token === null) return stranger;
  const api = locals.openAccount(token);
  const { data: me, problem } = await api.getMe();
  if (me !== null) return { me, api, token, formToken: formTokenOf(token), problem: null };
  if (problem.status !== 401) return { ...stranger, problem };
  response.headers.append('set-cookie', forgottenCookie(locals.isEncrypted));
  return stranger;
}

const refused = (status: number, code: string, title: string, detail: string): Problem => ({
  status,
  code,
  title,
  detail,
});

export type Posted = { form: FormData; problem: null } | { form: null; problem: Problem };

const foreign = refused(
  403,
  'form_foreign',
  'No changes were made',
  'The form was sent from another site. Reload this page and try again.',
);

/** Why a form is rejected: it is from another origin or, if an account is signed in, of another session. */
export function rejectionOf({ request, locals }: Asked, token: string | null, form: FormData): Problem | null {
  if (!isFromHere(request, locals.origin)) return foreign;
  if (token === null || isFormTokenOf(token, textOf(form, 'form_token'))) return null;
  return refused(
    403,
    'form_stale',
    'No changes were made',
    'The form belongs to another session. Reload this page and try again.',
  );
}

/** Reads the posted form. Rejects forms from other origins and, if an account is signed in, forms of another session. */
export async function readPosted(asked: Asked, token: string | null): Promise<Posted> {
  const { request, locals } = asked;
  if (!isFromHere(request, locals.origin)) return { form: null, problem: foreign };
  const { form, refusal } = await readForm(request, formBytesMax);
  if (form === null) {
    const problem =
      refusal === 'too_large'
        ? refused(413, 'body_too_large', 'No changes were made', 'The form is too large.')
        : refused(400, 'form_malformed', 'Invalid form', 'Submit the form from this page.');
    return { form, problem };
  }
  const problem = rejectionOf(asked, token, form);
  return problem === null ? { form, problem } : { form: null, problem };
}

/** Redirects after a form post, so that a reload does not send the form again. */
export function leadTo(place: string, cookie: string | null = null): Response {
  const headers = new Headers({ location: place, 'cache-control': 'no-store' });
  if (cookie !== null) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

const unknownKey: Problem = {
  status: 401,
  code: 'key_unknown',
  title: 'Invalid key',
  detail: 'A key contains only ASCII letters, digits and punctuation. Copy it again without the surrounding text.',
};

/**
 * Signs in with a new session. Ends the previous session of the browser, if it has one.
 *
 * @returns the `Set-Cookie` header of the session, or the error
 */
export async function signIn(
  { request, locals }: Asked,
  by: { key: string } | { link: string },
): Promise<{ cookie: string; token: string; problem: null } | { cookie: null; problem: Problem }> {
  // Other characters cannot be sent in a header.
  if ('key' in by && !/^[\x20-\x7e]*$/.test(by.key)) return { cookie: null, problem: unknownKey };
  const { data: session, problem } =
    'link' in by
      ? await locals.openAccount(null).startSession(by.link)
      : await locals.openAccount(by.key).startSession();
  if (session === null) return { cookie: null, problem };
  const before = readToken(request, locals.isEncrypted);
  if (before !== null) await locals.openAccount(before).endSession();
  return { cookie: cookieOf(session, locals.isEncrypted), token: session.token, problem: null };
}

/** Ends the session and returns the `Set-Cookie` header that deletes its cookie. */
export async function signOut({ locals }: Asked, { api }: Visit): Promise<string> {
  await api.endSession();
  return forgottenCookie(locals.isEncrypted);
}
