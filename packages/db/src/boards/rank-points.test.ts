import { expect, test } from 'vitest';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { ensureBoards } from './fill-boards.ts';

const { database, insert } = useUploads();

const rows = () =>
  database().sql`
    select b.metric, b.definition_group, r.variant, r.is_first, r.is_best
    from board_rows r join boards b on b.id = r.board_id
    where b.metric in ('decode_tok_s', 'itl_ms_mean') order by 1, 2, 3`;

test('marks the first variant on each board', async () => {
  for (const [decode, itl] of [
    ['client', 'per_token'],
    ['in_process', 'per_chunk'],
  ] as const)
    await insert(
      resultsOf([
        { metrics: { decode_tok_s: 100, itl_ms_mean: 10 }, definitions: { decode_tok_s: decode, itl_ms: itl } },
      ]),
    );
  const expected = [
    { metric: 'decode_tok_s', definition_group: 'client', variant: 0, is_first: true, is_best: true },
    { metric: 'decode_tok_s', definition_group: 'in_process', variant: 1, is_first: true, is_best: true },
    { metric: 'itl_ms_mean', definition_group: 'smoothness', variant: 0, is_first: true, is_best: true },
    { metric: 'itl_ms_mean', definition_group: 'smoothness', variant: 1, is_first: false, is_best: false },
  ];
  expect(await rows()).toEqual(expected);
  await ensureBoards(database().db, { isAnew: true });
  expect(await rows()).toEqual(expected);
});

test('marks the next point as the best of a system if the best one gets worse or is removed', async () => {
  const at = (level: number, speed: number) => resultsOf([{ level, metrics: { decode_tok_s: speed } }]);
  const best = async () =>
    (
      await database().sql`
        select p.load_level as level from board_rows r join points p on p.id = r.point_id join boards b on b.id = r.board_id
        where b.metric = 'decode_tok_s' and r.is_best`
    ).map(({ level }) => level);
  await insert(at(1, 100));
  await insert(at(2, 90));
  expect(await best()).toEqual([1]);
  await insert(at(1, 70));
  expect(await best()).toEqual([2]);
  await insert(at(2, 91));
  expect(await best()).toEqual([2]);
  await insert(at(1, 130));
  expect(await best()).toEqual([1]);
  await insert(at(1, 131));
  expect(await best()).toEqual([1]);
});
