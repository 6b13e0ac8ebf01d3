import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';

interface SiteEntry {
  render(request: Request, options: { fetch: typeof fetch; apiUrl: string; publicUrl: string }): Promise<Response>;
}

/** What answers requests that are not the API's. */
export interface SiteMount {
  respond(request: Request, api: SiteApi): Promise<Response>;
}

/** Whom the pages ask. */
export interface SiteApi {
  fetch(request: Request): Response | Promise<Response>;
  /** Base of its addresses; the origin of the page's own if it is not told. */
  url?: string;
  /** Answers a page as it was rendered before, or else keeps what is rendered now; a page is rendered each time without it. */
  keep?(render: () => Promise<Response>): Promise<Response>;
}

const dist = new URL('../../site/dist/', import.meta.url);

/**
 * The built site. Pages ask the API in this process, without a socket.
 *
 * @param publicUrl base of canonical links and of the commands that pages show
 * @throws if the site was not built
 */
export async function loadSite(publicUrl: string): Promise<SiteMount> {
  const entryUrl = new URL('server/entry.mjs', dist);
  if (!existsSync(entryUrl))
    throw new Error('The site is not built: run `npm run build`, or leave `site` out of ROLES.');
  const entry = (await import(entryUrl.href)) as SiteEntry;
  const root = fileURLToPath(new URL('client/', dist));
  const files = new Hono();
  files.use(
    '/_astro/*',
    serveStatic({ root, onFound: (_path, c) => c.header('Cache-Control', 'public, max-age=31536000, immutable') }),
  );
  files.use('*', serveStatic({ root }));
  files.notFound(() => new Response(null, { status: 404, headers: { 'x-no-file': '1' } }));
  return {
    async respond(request, api) {
      if (request.method === 'GET' || request.method === 'HEAD') {
        const file = await files.fetch(request);
        if (!file.headers.has('x-no-file')) return file;
      }
      const { origin } = new URL(request.url);
      const ask: typeof fetch = async (input, init) => api.fetch(new Request(input, init));
      const render = () => entry.render(request, { fetch: ask, apiUrl: api.url ?? origin, publicUrl });
      return api.keep === undefined ? render() : api.keep(render);
    },
  };
}
