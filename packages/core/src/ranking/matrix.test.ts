import { expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { noFilters } from '../filters/filters.ts';
import { findMetric } from '../metrics/index.ts';
import { tableOf } from '../testing/point-table.ts';
import { type MatrixQuestion, rankMatrix } from './matrix.ts';

const rankBy = findMetric('req_s');
if (rankBy === null) throw new Error('there is no req_s');
const question: MatrixQuestion = {
  rankBy,
  order: 'desc',
  filters: noFilters,
  definition: null,
  sent: null,
  rows: 'system',
  columns: 'scenario',
};
const table = tableOf([
  { point: 1, system: 'a', scenario: 'chatbot', values: { req_s: 1 } },
  { point: 2, system: 'b', scenario: 'rag', values: { req_s: 2 } },
  { point: 3, system: 'b', scenario: 'rag', values: { req_s: 3 } },
  { point: 4, system: 'c', scenario: 'rag', values: { req_s: 4 } },
]);

test('has the best point of every row and column', () => {
  const { cells } = rankMatrix(table, question, 6);
  expect(cells).toEqual([
    { rowKey: 'a', columnKey: 'chatbot', row: 0 },
    { rowKey: 'b', columnKey: 'rag', row: 2 },
    { rowKey: 'c', columnKey: 'rag', row: 3 },
  ]);
});

test('has one workload, or one for each shape, or each for itself', () => {
  const mixed = tableOf([
    { point: 1, system: 'a', scenario: 'chatbot', values: { req_s: 1 } },
    { point: 2, system: 'b', scenario: 'chatbot', values: { req_s: 2 } },
    { point: 3, system: 'b', scenario: 'chatbot', mode: 'burst', values: { req_s: 99 } },
    { point: 4, system: 'b', scenario: 'rag', mode: 'batch', values: { req_s: 50 } },
  ]);
  const told = (columns: MatrixQuestion['columns']) => {
    const { cells, workload } = rankMatrix(mixed, { ...question, columns }, 20);
    return [workload?.id ?? null, cells.map(({ columnKey, row }) => [columnKey, row])];
  };
  expect(told('gpu')).toEqual([
    'chatbot-steady',
    [
      ['h100-sxm', 0],
      ['h100-sxm', 1],
    ],
  ]);
  expect(told('scenario')).toEqual([
    null,
    [
      ['chatbot', 0],
      ['chatbot', 1],
      ['rag', 3],
    ],
  ]);
  expect(told('workload')).toEqual([
    null,
    [
      ['chatbot-steady', 0],
      ['chatbot-burst', 2],
      ['chatbot-steady', 1],
      ['rag-offline', 3],
    ],
  ]);
});

test('is refused rather than cut where it has too many places', () => {
  const refusal = (() => {
    try {
      return rankMatrix(table, question, 5);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(DomainError);
  expect(refusal).toMatchObject({
    code: 'request_invalid',
    message: 'The matrix would have 3 rows and 2 columns; it may have 5 places.',
    faults: [{ code: 'matrix_too_large', parameter: 'rows' }],
  });
});
