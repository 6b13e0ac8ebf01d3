import { expect, test } from 'vitest';
import type { Api, Leaderboard } from '../../../lib/api.ts';
import { readEntries } from './read-entries.ts';

/** Reads the entries of an empty board and returns the subjects that were requested afterwards. */
async function subjectsAfter(board: Pick<Leaderboard, 'workload' | 'excluded' | 'excluded_at_least'>) {
  const subjects: string[] = [];
  const api = {
    getLeaderboard: async () => ({ data: { ...board, data: [] }, problem: null }),
    getBest: async ({ subject }: { subject: string[] }) => {
      subjects.push(...subject);
      return { data: { data: [] }, problem: null };
    },
  } as unknown as Api;
  expect((await readEntries(api, {})).entries).toEqual([]);
  return subjects;
}

test('An empty board without unspecified systems needs no other request', async () => {
  const empty = { workload: null, excluded: { missing_metric: 144 }, excluded_at_least: false };
  expect(await subjectsAfter(empty)).toEqual([]);
});

test('Systems that leave a fact unspecified are compared by quantization or engine', async () => {
  const both = ['quantization', 'engine'];
  const left = { unspecified_gpu: 3, missing_metric: 144 };
  expect(await subjectsAfter({ workload: null, excluded: left, excluded_at_least: false })).toEqual(both);
  expect(await subjectsAfter({ workload: null, excluded: {}, excluded_at_least: true })).toEqual(both);
});
