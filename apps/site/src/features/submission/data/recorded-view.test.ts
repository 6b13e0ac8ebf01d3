import { expect, test } from 'vitest';
import type { Result } from '../../../lib/api.ts';
import { isWatched, toRecordedFacts } from './recorded-view.ts';

const detected = { model_revision: 'abc', gpu_count: 2 };
const recorded = { seed: 7, salt: null, bodies_sha256: 'h0', requests_retried: 1, observed_samples: 5, detected };

/** The facts of a result that the view reads. */
const result = (id: number, given: Result['recorded']) => ({ id: `res_${id}`, recorded: given }) as Result;
const nameOf = ({ id }: Result) => `line ${id?.slice(4)}`;

test('shows each different value once with its first result, and the sum of counts', () => {
  const results = [1, 2, 3, 4, 5, 6].map((id) => result(id, { ...recorded, bodies_sha256: `h${id}` }));
  const facts = toRecordedFacts([...results, result(7, null)], nameOf);
  expect(facts.map(({ title, values, more }) => [title, values.map(({ text }) => text).join(' '), more])).toEqual([
    ['Model revision', 'abc', 0],
    ['Number of GPUs', '2', 0],
    ['Seed of the prompts', '7', 0],
    ['SHA-256 of the request bodies', 'h1 h2 h3 h4', 2],
    ['Requests sent twice', '6', 0],
    ['Readings of the server', '30', 0],
  ]);
  expect(facts[3]?.values[1]).toMatchObject({ href: '#res_2', name: 'line 2' });
});

test('distinguishes zero from missing', () => {
  const none = { ...recorded, seed: null, bodies_sha256: null, observed_samples: null, detected: {} };
  expect(toRecordedFacts([result(1, { ...none, requests_retried: 0 })], nameOf)).toMatchObject([
    { title: 'Requests sent twice', values: [{ text: '0' }] },
  ]);
  expect(toRecordedFacts([result(1, null)], nameOf)).toEqual([]);
  expect([isWatched([result(1, recorded)]), isWatched([result(1, none)])]).toEqual([true, false]);
});
