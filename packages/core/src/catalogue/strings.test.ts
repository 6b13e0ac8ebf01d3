import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  findGpu,
  findGpuFamily,
  findModel,
  findModelFamily,
  findQuantization,
  llamaBenchCandidates,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from './index.ts';

const kinds = ['gpu', 'model', 'quantization'] as const;
const RowSchema = z.strictObject({
  kind: z.enum(kinds),
  text: z.string().min(1),
  id: z.string().nullable(),
  family: z.string().nullable(),
});
const file = new URL('../../fixtures/catalogue/strings.json', import.meta.url);
const rows = z.array(RowSchema).parse(JSON.parse(readFileSync(file, 'utf8')));

const resolvers = {
  gpu: resolveGpu,
  model: resolveModel,
  quantization: (text: string) => ({ family: null, ...resolveQuantization(text) }),
};

// Resolving a name to a similar card would check an honest result with the wrong bandwidth.
test.each(rows)('resolves $kind $text to $id of family $family', ({ kind, text, id, family }) => {
  const found = resolvers[kind](text);
  expect({ id: found.id, family: found.family }).toEqual({ id, family });
  expect(found.name).toBe(text);
  if (id !== null || family !== null) expect(found.suggestions).toEqual([]);
});

test('lists each name once, and only existing entries', () => {
  const names = rows.map(({ kind, text }) => `${kind} ${text}`);
  expect(new Set(names).size).toBe(names.length);
  for (const { kind, id, family, text } of rows) {
    const entry = { gpu: findGpu, model: findModel, quantization: findQuantization }[kind];
    if (id !== null) expect(entry(id), text).not.toBeNull();
    const familyEntry = kind === 'gpu' ? findGpuFamily : findModelFamily;
    if (family !== null) expect(familyEntry(family), text).not.toBeNull();
  }
  for (const kind of kinds) expect(rows.filter((row) => row.kind === kind).length).toBeGreaterThan(20);
});

// Printed types with their parameter counts from real logs.
test.each<[string, number, string[]]>([
  ['llama 7B Q4_0', 6.74e9, ['llama-2-7b']],
  ['llama ?B IQ2_XXS - 2.0625 bpw', 405.85e9, ['llama-3.1-405b']],
  ['llama 70B Q4_K - Medium', 70.55e9, ['llama-3.3-70b', 'llama-3.1-70b']],
  ['llama 13B Q4_K - Medium', 12.25e9, ['mistral-nemo-12b']],
  ['gpt-oss 120B Q8_0', 116.83e9, ['gpt-oss-120b']],
  ['qwen3moe 30B.A3B Q4_K - Medium', 30.53e9, ['qwen3-30b-a3b']],
  ['qwen2 7B Q4_K - Medium', 7615616512, []],
  ['llama 1B Q4_K - Medium', 1.24e9, []],
  ['qwen35 27B Q8_0', 26.9e9, []],
])('maps the llama-bench type %s with %d parameters to %j', (printed, params, candidates) => {
  expect(llamaBenchCandidates(printed, params)).toEqual(candidates);
});
