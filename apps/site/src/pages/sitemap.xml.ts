import type { APIRoute } from 'astro';
import { sitemapPaths } from '../lib/sitemap.ts';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The pages of the catalogue and of the best systems. */
export const GET: APIRoute = async ({ locals }) => {
  const paths = await sitemapPaths(locals.api);
  const urls = paths.map((path) => `<url><loc>${escaped(locals.origin + path)}</loc></url>`);
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`,
    { headers: { 'content-type': 'application/xml; charset=utf-8' } },
  );
};
