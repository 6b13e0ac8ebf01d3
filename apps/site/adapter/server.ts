import { createApp } from 'astro/app/entrypoint';
import { createApi } from '../src/lib/api.ts';
import { takeAdditions } from '../src/lib/take-additions.ts';

export interface RenderOptions {
  /** Answers requests to the API: the network's fetch, or the API in the same process. */
  fetch: typeof globalThis.fetch;
  /** Base of the API's addresses, without `/v1`. */
  apiUrl: string;
  /** Base of the addresses that people see; the request's own origin if it is not told. */
  publicUrl?: string;
}

const app = createApp();

/** Whether a page of the site has this address. */
export function match(request: Request): boolean {
  return app.match(request) !== undefined;
}

/** The page at the request's address; unknown addresses get the site's own 404 page. */
export async function render(request: Request, { fetch, apiUrl, publicUrl }: RenderOptions): Promise<Response> {
  const api = createApi(fetch, apiUrl);
  await takeAdditions(api);
  const locals: App.Locals = { api, origin: publicUrl ?? new URL(request.url).origin };
  const response = await app.render(request, { locals });
  const type = response.headers.get('content-type');
  if (type === 'text/html') response.headers.set('content-type', 'text/html; charset=utf-8');
  // A retracted result leaves the boards at once, so no one may keep a page without asking.
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-cache');
  return response;
}
