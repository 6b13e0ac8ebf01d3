import type { APIRoute } from 'astro';

/** Paths for crawlers: all except search results and downloads of all results. */
export const GET: APIRoute = ({ locals }) =>
  new Response(
    `User-agent: *
Disallow: /search?
Disallow: /v1/search
Disallow: /v1/results.
Disallow: /embed/

Sitemap: ${locals.origin}/sitemap.xml
`,
    { headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' } },
  );
