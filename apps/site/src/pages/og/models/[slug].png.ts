import type { APIRoute } from 'astro';
import { modelKind } from '../../../features/catalogue/data/catalogue-facts.ts';
import { entryPicture } from '../../../og/entry-picture.ts';

export const GET: APIRoute = (context) => entryPicture(context, modelKind);
