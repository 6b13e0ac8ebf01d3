import { type Paste, readPaste } from '../features/submission/data/paste.ts';
import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { leadTo, openVisit, rejectionOf, type Visit } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

/** A stored submission without an account, and the link with which an account can claim it. */
export interface SentAnonymously {
  href: string;
  claimUrl: string;
  /** ISO date until which the link is valid. */
  until: string;
}

interface SubmitPage {
  paste: Paste;
  visit: Visit;
  /** Redirects to the submission of the signed-in account. */
  response: Response | null;
  sent: SentAnonymously | null;
  /** Why the artifact was not submitted. */
  refusal: Problem | null;
}

const signedOut: Problem = {
  status: 401,
  code: 'session_ended',
  title: 'Nothing was submitted',
  detail: 'You are signed out. Sign in and submit again.',
};

const pathOf = (id: string) => `/submissions/${encodeURIComponent(id)}`;

/** Reads the posted form of the submit page. A button of the form can submit it: `send=account` or `send=anonymous`. */
export async function readSubmitPage(asked: Asked): Promise<SubmitPage> {
  const visit = await openVisit(asked);
  const paste = await readPaste(asked.request);
  const page: SubmitPage = { paste, visit, response: null, sent: null, refusal: null };
  const { form, artifact, given } = paste;
  const by = form === null ? '' : textOf(form, 'send');
  if (form === null || artifact === null || (by !== 'account' && by !== 'anonymous')) return page;
  const rejection = rejectionOf(asked, visit.token, form);
  if (rejection !== null) return { ...page, refusal: rejection };
  // A submission of an account must not become an anonymous one when the session ends.
  if (by === 'account' && visit.me === null) return { ...page, refusal: visit.problem ?? signedOut };
  const api = by === 'account' ? visit.api : asked.locals.openAccount(null);
  const { data, problem } = await api.submit(artifact, given);
  if (data === null) return { ...page, refusal: problem };
  const { id, claim } = data;
  // Only a dry run has no id.
  if (id === null) return page;
  if (claim === undefined) return { ...page, response: leadTo(pathOf(id)) };
  return { ...page, sent: { href: pathOf(id), claimUrl: claim.url, until: claim.expires_at } };
}
