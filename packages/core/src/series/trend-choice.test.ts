import { expect, test } from 'vitest';
import { type CountedDay, chooseTrend } from './trend-choice.ts';

const days = (workload: string, key: string, from: number, count: number, group = ''): CountedDay[] =>
  Array.from({ length: count }, (_, at) => ({
    workload,
    key,
    group,
    day: `2026-01-${String(from + at).padStart(2, '0')}`,
  }));

test('chooses the workload with the longest series, not with the most days of different series', () => {
  const each = ['a100', 'h100', 'h200', 'b200'].flatMap((gpu, at) => days('sharegpt-steady', gpu, 10 + at, 1));
  const found = chooseTrend([...each, ...days('1k-1k-steady', 'h100', 1, 3)]);
  expect(found).toMatchObject({
    workload: '1k-1k-steady',
    days: 3,
    otherWorkloads: [{ id: 'sharegpt-steady', days: 4 }],
  });
});

test('counts a day once for all series', () => {
  const found = chooseTrend([...days('rag-steady', 'h100', 1, 3), ...days('rag-steady', 'h200', 2, 3)]);
  expect(found?.days).toBe(4);
});

test('chooses one formula group, and counts values of others', () => {
  const found = chooseTrend([
    ...days('rag-steady', 'h100', 1, 2, 'per_chunk'),
    ...days('rag-steady', 'h100', 1, 5, 'per_token'),
  ]);
  expect(found).toMatchObject({ group: 'per_token', days: 5, otherGroups: [{ id: 'per_chunk', days: 2 }] });
});

test('chooses by name for equal counts, and returns null without days', () => {
  expect(chooseTrend([...days('rag-steady', 'a', 1, 1), ...days('chatbot-steady', 'a', 1, 1)])?.workload).toBe(
    'chatbot-steady',
  );
  expect(chooseTrend([])).toBeNull();
});
