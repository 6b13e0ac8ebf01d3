import type { Body } from '../acceptance/world.ts';
import type { World } from './world.ts';

/** The fields of a board entry that do not depend on other accounts' claims. */
function entryOf({ replication: _, ...entry }: Body) {
  return entry;
}

/** The text of the start page, without its forms and its notes on excluded rows. */
const wordsOf = (html: string) =>
  /<main[\s\S]*<\/main>/
    .exec(html)?.[0]
    .replace(/<(form|script|style)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/Left out: [^.]*\./g, ' ')
    .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z?)?/g, 'DATE')
    .replace(/\s+/g, ' ') ?? '';

/** The default board, as data and as a page. */
export async function readFirstPage(world: World): Promise<string[]> {
  const { excluded: _, data, ...board } = await world.get('/v1/leaderboard?full=true');
  const entries = data.map(entryOf).map((entry: object) => JSON.stringify(entry));
  return [JSON.stringify(board), ...entries, wordsOf(await world.get('/'))];
}
