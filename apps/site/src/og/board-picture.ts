import { exploreBoard } from '../explorer/of-page.ts';
import type { BoardQuery } from '../features/board/data/board-query.ts';
import { toBoardView } from '../features/board/data/board-view.ts';
import { boardTitle } from '../features/board/data/board-words.ts';
import { readBoard } from '../features/board/data/read-board.ts';
import type { Api } from '../lib/api.ts';
import { metricHeading } from '../lib/metric-text.ts';
import { drawCard } from './card.ts';
import { boardCard } from './cards.ts';
import { drawChart } from './chart.ts';
import { drawRanking, toRankedBars } from './ranking.ts';

interface Options {
  /** The source and the date of drawing. */
  source: string;
  /** By default the title of the board. */
  title?: string;
  /** True for a page without the explorer of this board. */
  isWithoutCurves?: boolean;
}

/**
 * The preview image of a board: the curves of its page, else the bars of its first rows. Without a ranking it shows only the
 * title.
 */
export async function drawBoard(
  api: Api,
  query: BoardQuery,
  { source, title: given = '', isWithoutCurves = false }: Options,
): Promise<Uint8Array<ArrayBuffer>> {
  const { data, resolved } = await readBoard(api, query);
  const view = data && toBoardView(data, resolved);
  const title = given === '' ? boardTitle(resolved, data?.rankBy ?? null) : given;
  const explored = view === null || isWithoutCurves ? null : await exploreBoard(api, view, query, resolved);
  const curves = explored?.view ?? null;
  if (curves !== null && curves.drawing !== null) return drawChart(curves.title, curves.drawing, source);
  if (view === null || view.rows.length < 2) return drawCard({ ...boardCard(title, view, data), source });
  return drawRanking(title, metricHeading(view.metric), toRankedBars(view), source);
}
