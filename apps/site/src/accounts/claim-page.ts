import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { leadTo, openVisit, readPosted, type Visit } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

interface Claimed {
  visit: Visit;
  response: Response | null;
  problem: Problem | null;
  /** The token of the link. */
  claim: string;
}

/** Data of a claim page, after its button was pressed. */
export async function visitClaim(asked: Asked, id: string): Promise<Claimed> {
  const visit = await openVisit(asked);
  const claim = new URL(asked.request.url).searchParams.get('token') ?? '';
  if (asked.request.method !== 'POST' || visit.problem !== null)
    return { visit, response: null, problem: visit.problem, claim };
  const { form, problem: malformed } = await readPosted(asked, visit.token);
  if (form === null) return { visit, response: null, problem: malformed, claim };
  const sent = textOf(form, 'claim');
  const { problem } = await visit.api.claim(id, sent);
  const response = problem === null ? leadTo(`/submissions/${encodeURIComponent(id)}`) : null;
  return { visit, response, problem, claim: sent };
}
