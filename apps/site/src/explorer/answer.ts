import type { APIContext } from 'astro';
import type { Drawing } from './drawing.ts';
import { type ExplorerView, readExplorer } from './read.ts';
import { readState } from './state.ts';

/** A file made of the chart that an address describes; a refusal in words where there is none. */
export async function answerChart(
  { locals, url }: APIContext,
  make: (view: ExplorerView, drawing: Drawing) => Response,
): Promise<Response> {
  const { view, problem } = await readExplorer(locals.api, readState(url.searchParams));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  if (view.drawing === null) return new Response('No point has both figures.', { status: 404 });
  return make(view, view.drawing);
}
