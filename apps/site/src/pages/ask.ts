import type { APIRoute } from 'astro';

/** The board answers questions. The redirect is temporary: browsers would keep a permanent one if this became a page. */
export const GET: APIRoute = ({ redirect, url }) => redirect(`/${url.search}`, 302);
