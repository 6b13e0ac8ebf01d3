import type { APIRoute } from 'astro';
import { cardResponse } from '../../../og/card.ts';
import { submissionCard } from '../../../og/cards.ts';
import { sourceOf } from '../../../og/source.ts';

/** The preview image of a submission. */
export const GET: APIRoute = async ({ params, locals }) => {
  const { data, problem } = await locals.api.getSubmission(params.id ?? '');
  if (data !== null) return cardResponse({ ...submissionCard(data), source: sourceOf(locals.origin) });
  const card = { kicker: '', title: problem.title, subtitle: '', figure: null, facts: problem.detail };
  return cardResponse(card, problem.status);
};
