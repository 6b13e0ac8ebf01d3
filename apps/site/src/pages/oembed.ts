import type { APIRoute } from 'astro';
import { embedCode, embedSize } from '../explorer/files/embed.ts';
import { readExplorer } from '../explorer/read.ts';
import { readState } from '../explorer/state.ts';

const refusal = (status: number, words: string) => new Response(words, { status });

const size = (text: string | null, usual: number) => {
  const asked = Number(text);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, usual) : usual;
};

/** How to embed a page of the explorer: https://oembed.com. */
export const GET: APIRoute = async ({ locals, url }) => {
  const { searchParams } = url;
  if ((searchParams.get('format') ?? 'json') !== 'json') return refusal(501, 'Only format=json is supported.');
  const asked = URL.parse(searchParams.get('url') ?? '');
  if (asked === null || asked.origin !== locals.origin || asked.pathname !== '/explore')
    return refusal(404, `url must be an address of ${locals.origin}/explore.`);
  const { view, problem } = await readExplorer(locals.api, readState(asked.searchParams));
  if (problem !== null) return refusal(problem.status, problem.detail);
  const width = size(searchParams.get('maxwidth'), embedSize.width);
  const height = size(searchParams.get('maxheight'), embedSize.height);
  const source = `${locals.origin}/embed/explore${asked.search}`;
  return Response.json({
    version: '1.0',
    type: 'rich',
    provider_name: 'Inferboard',
    provider_url: locals.origin,
    title: view.title,
    ...{ width, height },
    html: embedCode(source, view.title, { width, height }),
  });
};
