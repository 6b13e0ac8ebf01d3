import type { APIRoute } from 'astro';
import { methodology } from '../features/glossary/data/methodology-view.ts';

export const GET: APIRoute = () =>
  new Response(JSON.stringify(methodology), { headers: { 'content-type': 'application/json; charset=utf-8' } });
