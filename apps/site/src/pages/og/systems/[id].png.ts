import type { APIRoute } from 'astro';
import { cardResponse, pictureResponse } from '../../../og/card.ts';
import { systemCard } from '../../../og/cards.ts';
import { drawChart } from '../../../og/chart.ts';
import { sourceOf } from '../../../og/source.ts';
import { readSystemsChart } from '../../../og/systems-chart.ts';

/** The preview image of a system: its values over its loads, or its best value if it has one load. */
export const GET: APIRoute = async ({ params, locals }) => {
  const { data, problem } = await locals.api.getSystem(params.id ?? '');
  const source = sourceOf(locals.origin);
  const chart = data === null ? null : await readSystemsChart(locals.api, [data.id]);
  if (data !== null && chart !== null)
    return pictureResponse(drawChart(`${data.label}: ${chart.title}`, chart.drawing, source));
  if (data !== null) return cardResponse({ ...systemCard(data), source });
  const card = { kicker: '', title: problem.title, subtitle: '', figure: null, facts: problem.detail };
  return cardResponse(card, problem.status);
};
