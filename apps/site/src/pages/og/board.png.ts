import type { APIRoute } from 'astro';
import { readBoardQuery } from '../../features/board/data/board-query.ts';
import { drawBoard } from '../../og/board-picture.ts';
import { pictureResponse } from '../../og/card.ts';
import { sourceOf } from '../../og/source.ts';

/** The preview image of a board, by the query of its page. If the query fails, it shows only the title. */
export const GET: APIRoute = async ({ url, locals }) => {
  const title = url.searchParams.get('q')?.trim() ?? '';
  const query = readBoardQuery(url.searchParams);
  return pictureResponse(await drawBoard(locals.api, query, { source: sourceOf(locals.origin), title }));
};
