import type { APIContext } from 'astro';
import { exploreEntry } from '../explorer/of-page.ts';
import { readBoardQuery } from '../features/board/data/board-query.ts';
import type { Kind } from '../features/catalogue/data/catalogue-facts.ts';
import { openEntry } from '../features/catalogue/data/catalogue-page.ts';
import { drawBoard } from './board-picture.ts';
import { cardResponse, pictureResponse } from './card.ts';
import { drawChart } from './chart.ts';
import { sourceOf } from './source.ts';

/** The preview image of a model or GPU: the curves of its page, else its best systems. */
export async function entryPicture({ params, url, locals }: APIContext, kind: Kind): Promise<Response> {
  const { api, origin } = locals;
  const source = sourceOf(origin);
  const { found } = await openEntry(api, kind, params.slug);
  const item = found.item;
  if (item === null || (kind.fact !== 'model' && kind.fact !== 'gpu')) {
    const card = { kicker: kind.title, title: `No such ${kind.one}`, subtitle: '', figure: null, facts: '', source };
    return cardResponse(card, 404);
  }
  const scenario = url.searchParams.get('scenario') || null;
  const curves = await exploreEntry(api, kind.fact, item.id, scenario);
  if (curves !== null && curves.drawing !== null) {
    const heading = curves.title.includes(item.name) ? curves.title : `${item.name}: ${curves.title}`;
    return pictureResponse(drawChart(heading, curves.drawing, source));
  }
  const filters = new URLSearchParams([[kind.fact, item.id], ...(scenario === null ? [] : [['scenario', scenario]])]);
  const title = [item.name, scenario].filter(Boolean).join(', ');
  return pictureResponse(await drawBoard(api, readBoardQuery(filters), { source, title, isWithoutCurves: true }));
}
