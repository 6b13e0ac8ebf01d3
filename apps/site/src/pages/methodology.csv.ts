import type { APIRoute } from 'astro';
import { csvResponse } from '../lib/catalogue-index.ts';
import { rulesCsv } from '../lib/methodology-view.ts';

export const GET: APIRoute = () => csvResponse(rulesCsv(), 'rules');
