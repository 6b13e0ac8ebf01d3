import type { APIRoute } from 'astro';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';
import { rulesCsv } from '../features/catalogue/data/methodology-view.ts';

export const GET: APIRoute = () => csvResponse(rulesCsv(), 'rules');
