import { expect, test } from 'vitest';
import { csv } from './csv.ts';
import type { Cell } from './format.ts';

async function written(cells: readonly Cell[]): Promise<string> {
  const list = {
    columns: cells.map((_, at) => ({ name: `c${at}`, type: 'text' as const, unit: null })),
    toCells: (row: readonly Cell[]) => [...row],
    chunks: (async function* () {
      yield [cells];
    })(),
    about: () => ({}),
  };
  const parts: string[] = [];
  for await (const part of csv.write(list)) parts.push(new TextDecoder().decode(part));
  return parts.join('');
}

test.each<[string, Cell[], string]>([
  ['writes missing values as empty and zero as a measurement', [null, 0, 'a'], ',0,a'],
  ['does not round numbers', [0.1, 1e21, 1e-7], '0.1,1e+21,1e-7'],
  ['quotes fields with delimiters', ['a,b', 'a"b', 'a\nb', 'a\rb'], '"a,b","a""b","a\nb","a\rb"'],
  ['escapes formulas, and keeps negative numbers', ['=1+1', -1, '-1,2'], `'=1+1,-1,"'-1,2"`],
])('%s', async (_, cells, line) => {
  const heading = cells.map((_cell, at) => `c${at}`).join(',');
  expect(await written(cells)).toBe(`${heading}\n${line}\n`);
});
