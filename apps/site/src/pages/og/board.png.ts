import type { APIRoute } from 'astro';
import { readBoardQuery } from '../../lib/board-query.ts';
import { toBoardView } from '../../lib/board-view.ts';
import { boardTitle } from '../../lib/board-words.ts';
import { readBoard } from '../../lib/read-board.ts';
import { cardResponse } from '../../og/card.ts';
import { boardCard } from '../../og/cards.ts';
import { sourceOf } from '../../og/source.ts';

/** The picture of a board, by the same address as its page; one that cannot be answered has its name alone. */
export const GET: APIRoute = async ({ url, locals }) => {
  const query = readBoardQuery(url.searchParams);
  const { data, resolved } = await readBoard(locals.api, query);
  const question = url.searchParams.get('q')?.trim() ?? '';
  const title = question === '' ? boardTitle(resolved, data?.rankBy ?? null) : question;
  const card = boardCard(title, data && toBoardView(data, resolved), data);
  return cardResponse({ ...card, source: sourceOf(locals.origin) });
};
