import type { APIRoute } from 'astro';
import { comparedMax, readCompareQuery } from '../../features/compare/data/compare-query.ts';
import { cardResponse, pictureResponse } from '../../og/card.ts';
import { drawChart } from '../../og/chart.ts';
import { sourceOf } from '../../og/source.ts';
import { readSystemsChart } from '../../og/systems-chart.ts';

/** The preview image of a comparison: its systems as curves of one chart. */
export const GET: APIRoute = async ({ url, locals }) => {
  const { ids } = readCompareQuery(url.searchParams);
  const source = sourceOf(locals.origin);
  const view = await readSystemsChart(locals.api, ids);
  if (view !== null) return pictureResponse(drawChart(`Compared: ${view.title}`, view.drawing, source));
  const systems = await Promise.all(ids.slice(0, comparedMax).map((id) => locals.api.getSystem(id)));
  const [first = 'Systems side by side', ...others] = systems.flatMap(({ data }) => data?.label ?? []);
  return cardResponse({
    kicker: 'Compare',
    title: first,
    subtitle: others.length === 0 ? 'Measured LLM inference' : `compared with ${others.join(', ')}`,
    figure: null,
    facts: source,
  });
};
