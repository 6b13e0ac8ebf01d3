import type { APIRoute } from 'astro';
import { drawIcon, iconResponse } from '../og/icon.ts';

export const GET: APIRoute = () => iconResponse(drawIcon(180, 0.12), 'image/png');
