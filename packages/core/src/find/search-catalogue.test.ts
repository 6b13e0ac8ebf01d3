import { describe, expect, test } from 'vitest';
import { searchCatalogue } from './search-catalogue.ts';
import { readSearch } from './words.ts';

function find(text: string) {
  const search = readSearch(text);
  return search === null ? [] : searchCatalogue(text, search);
}
const idsOf = (text: string) => find(text).map(({ kind, id }) => `${kind} ${id}`);

describe('a search in the catalogue', () => {
  test.each([
    ['llama-3.1-8b', 'model llama-3.1-8b'],
    ['Llama 3.1 8B', 'model llama-3.1-8b'],
    ['LLAMA3.1 8b', 'model llama-3.1-8b'],
    ['vllm', 'engine vllm'],
    ['q4_k_m', 'quantization gguf-q4_k_m'],
    ['rtx-pro-6000', 'gpu rtx-pro-6000'],
  ])('finds %s first', (text, first) => {
    expect(idsOf(text)[0]).toBe(first);
    expect(find(text)[0]?.match).toBe('exact');
  });

  test('finds prefixes, and words in any order', () => {
    expect(idsOf('h20')).toEqual(expect.arrayContaining(['gpu h20', 'gpu h200']));
    expect(idsOf('8b llama')).toContain('model llama-3.1-8b');
  });

  test('finds partial matches if nothing matches all words', () => {
    const found = find('llama-3.1-8b on h100-sxm');
    expect(new Set(found.map(({ match }) => match))).toEqual(new Set(['some']));
    const idsOfKind = (kind: string) => found.filter((entry) => entry.kind === kind).map(({ id }) => id);
    expect(idsOfKind('model')).toContain('llama-3.1-8b');
    expect(idsOfKind('model')).not.toContain('llama-2-7b');
    expect(idsOfKind('gpu')).toContain('h100-sxm');
    expect(idsOfKind('gpu')).not.toContain('a100-sxm-80gb');
  });

  test('suggests similar names if no word is known', () => {
    const found = find('vlllm');
    expect(found).toContainEqual(expect.objectContaining({ kind: 'engine', id: 'vllm', match: 'similar' }));
  });

  test.each(['', '   ', '---', '()'])('finds nothing for %j', (text) => {
    expect(readSearch(text)).toBeNull();
  });
});
