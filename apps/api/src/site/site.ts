import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';

interface RenderOptions {
  fetch: typeof fetch;
  apiUrl: string;
  publicUrl: string;
  isEncrypted: boolean;
}

interface SiteEntry {
  render(request: Request, options: RenderOptions): Promise<Response>;
}

/** Handles requests outside the API. */
export interface SiteMount {
  respond(request: Request, api: SiteApi): Promise<Response>;
}

/** The API that the pages use. */
export interface SiteApi {
  fetch(request: Request): Response | Promise<Response>;
  /** Base URL of the API; by default the page's own origin. */
  url?: string;
  /** Whether the page was requested over HTTPS; false by default. */
  isEncrypted?: boolean;
  /** Returns the cached page, or renders it and caches it; without this function every request renders the page. */
  cachedPage?(render: () => Promise<Response>): Promise<Response>;
}

const dist = new URL('../../../site/dist/', import.meta.url);

/**
 * Loads the built site. Pages call the API in this process, without a socket.
 *
 * @param publicUrl base URL of canonical links and of the commands on pages
 * @throws if the site was not built
 */
export async function loadSite(publicUrl: string): Promise<SiteMount> {
  const entryUrl = new URL('server/entry.mjs', dist);
  if (!existsSync(entryUrl))
    throw new Error('The site is not built. Run `npm run build`, or remove `site` from ROLES.');
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
      const { url: apiUrl = origin, isEncrypted = false } = api;
      const render = () => entry.render(request, { fetch: ask, apiUrl, publicUrl, isEncrypted });
      return api.cachedPage === undefined ? render() : api.cachedPage(render);
    },
  };
}
