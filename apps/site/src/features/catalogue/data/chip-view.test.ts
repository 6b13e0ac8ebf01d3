import { describe, expect, test } from 'vitest';
import { readBoardQuery } from '../../board/data/board-query.ts';
import { suggestions } from '../../board/data/board-words.ts';
import { filterChips, questionChips } from './chip-view.ts';

const read = (search: string) => readBoardQuery(new URLSearchParams(search));

describe('questionChips', () => {
  const query = read('subject=model&rank_by=itl_ms_mean&max_itl_ms_mean=20&gpu=h100&gpu=h200');
  const chips = (phrase: string, meaning: string) =>
    questionChips([{ text: phrase, became: meaning, note: null }], query);

  test('remove only what the phrase added', () => {
    expect(chips('under 20ms ITL', 'max_itl_ms_mean=20')).toEqual([
      {
        phrase: 'under 20ms ITL',
        label: 'ITL at most 20 ms',
        href: '/?subject=model&rank_by=itl_ms_mean&gpu=h100&gpu=h200',
      },
    ]);
    expect(chips('H100 or H200', 'gpu=h100,h200')[0]?.href).toBe(
      '/?subject=model&rank_by=itl_ms_mean&max_itl_ms_mean=20',
    );
    expect(chips('model', 'subject=model')[0]?.href).toBe('/?rank_by=itl_ms_mean&max_itl_ms_mean=20&gpu=h100&gpu=h200');
  });

  test('have no link if nothing would change', () => {
    expect(
      questionChips([{ text: 'fastest decode', became: 'rank_by=decode_tok_s, order=desc', note: null }], read('')),
    ).toEqual([{ phrase: 'fastest decode', label: 'Ranked by Decode speed (tok/s)', href: null }]);
  });

  test('remove a ranking by cost together with its price', () => {
    const cost = read('subject=gpu&rank_by=usd_per_mtok_output&gpu_usd_per_hour=2.5');
    for (const meaning of ['rank_by=usd_per_mtok_output, order=asc', 'gpu_usd_per_hour=2.5'])
      expect(questionChips([{ text: 'x', became: meaning, note: null }], cost)[0]?.href).toBe('/?subject=gpu');
  });
});

test('every filter has a chip that links to the URL without it', () => {
  expect(filterChips(read('scenario=base&scenario=rag&min_user_tok_s=30'))).toEqual([
    { phrase: null, label: 'Scenario: Base', href: '/?scenario=rag&min_user_tok_s=30' },
    { phrase: null, label: 'Scenario: RAG / QA', href: '/?scenario=base&min_user_tok_s=30' },
    { phrase: null, label: 'Per-user speed at least 30 tok/s', href: '/?scenario=base&scenario=rag' },
  ]);
});

test('chips have the names of the pages, not ids', () => {
  const query = read('workload=8k-1k-steady&scenario=2000-100&gpu=h100-sxm&model=llama-2-7b&not_gpu=h200-sxm');
  expect(filterChips(query).map(({ label }) => label)).toEqual([
    'Workload: 8K→1K, steady',
    'Scenario: 2,000 → 100 tokens',
    'GPU: H100 SXM5 80GB',
    'Model: Llama 2 7B',
    'Not GPU: H200 SXM 141GB',
  ]);
});

test('the chip of a quantization names the format that the filter selects', () => {
  const labels = filterChips(read('quantization=fp4&quantization=nvfp4&quantization=mxfp4')).map(({ label }) => label);
  expect(labels).toEqual(['Quantization: NVFP4 or MXFP4 (fp4)', 'Quantization: NVFP4', 'Quantization: MXFP4']);
});

test("the reader's prices have a chip", () => {
  expect(filterChips(read('prices=h100=2&price[b200]=3')).map(({ label, href }) => [label, href])).toEqual([
    ['Prices per GPU-hour: h100=2', '/?price%5Bb200%5D=3'],
    ['b200: $3.00 per GPU-hour', '/?prices=h100%3D2'],
  ]);
});

test('an error suggests the corrected question', () => {
  const problem = {
    ...{ title: '', detail: '', status: 422, code: 'query_not_understood' },
    errors: [
      { code: 'word_unknown', message: '"fastst" is not understood.', hint: 'Did you mean "fastest"?' },
      { code: 'word_unknown', message: '"banana" is not understood.', hint: 'Try a question like "best".' },
    ],
  };
  expect(suggestions('fastst model banana on h100', problem)).toEqual([
    { text: 'fastest model on h100', href: '/?q=fastest+model+on+h100' },
  ]);
  expect(suggestions('anything', { ...problem, errors: [] })).toEqual([]);
});
