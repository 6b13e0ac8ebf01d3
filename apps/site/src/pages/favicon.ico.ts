import type { APIRoute } from 'astro';
import { drawIcon, iconResponse, toIco } from '../og/icon.ts';

/** For clients that request it without reading the page. */
export const GET: APIRoute = () => iconResponse(toIco(drawIcon(32)), 'image/x-icon');
