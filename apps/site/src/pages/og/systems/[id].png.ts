import type { APIRoute } from 'astro';
import { cardResponse } from '../../../og/card.ts';
import { systemCard } from '../../../og/cards.ts';

/** The picture that goes with a link to a system. */
export const GET: APIRoute = async ({ params, locals }) => {
  const { data, problem } = await locals.api.getSystem(params.id ?? '');
  if (data !== null) return cardResponse(systemCard(data));
  const card = { kicker: '', title: problem.title, subtitle: '', figure: null, facts: problem.detail };
  return cardResponse(card, problem.status);
};
