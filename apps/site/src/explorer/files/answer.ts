import type { APIContext } from 'astro';
import type { Drawing } from '../drawing/drawing.ts';
import { type ExplorerView, readExplorer } from '../read.ts';
import { readState } from '../state.ts';

/** Response with a file of the chart at a URL; an error message if the chart cannot be drawn. */
export async function answerChart(
  { locals, url }: APIContext,
  make: (view: ExplorerView, drawing: Drawing) => Response | Promise<Response>,
): Promise<Response> {
  const { view, problem } = await readExplorer(locals.api, readState(url.searchParams));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  if (view.drawing === null) return new Response('No result has both metrics.', { status: 404 });
  return make(view, view.drawing);
}
