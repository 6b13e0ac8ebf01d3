import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  catalogueKey,
  engines,
  gpuFamilies,
  gpus,
  llamaBenchCandidates,
  modelFamilies,
  models,
  quantizationHint,
  quantizations,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
  resolveScenario,
  scenarios,
} from './index.ts';
import { compactKey, indexAliases } from './names/normalise.ts';
import { llamaBenchTypes, namedGpuFamilies, sloPresets } from './records.ts';

const byName = (name: string) =>
  resolveScenario({ name, inputTokens: null, outputTokens: null, dataset: name, depth: null }, null);
const resolvers: [string, (text: string) => unknown][] = [
  ['resolveGpu', resolveGpu],
  ['resolveModel', resolveModel],
  ['resolveQuantization', resolveQuantization],
  ['resolveEngine', resolveEngine],
  ['resolveScenario', byName],
  ['quantizationHint', quantizationHint],
  ['llamaBenchCandidates', (text) => llamaBenchCandidates(text, 1e9)],
];

const scenarioOf = (text: string) =>
  resolveScenario({ name: text, inputTokens: null, outputTokens: null, dataset: null, depth: null }, null).scenario.id;
const kinds: [
  string,
  readonly { id: string; aliases: readonly string[]; name?: string }[],
  (t: string) => string | null,
][] = [
  ['GPU', gpus, (text) => resolveGpu(text).id],
  ['model', models, (text) => resolveModel(text).id],
  ['quantization', quantizations, (text) => resolveQuantization(text).id],
  ['engine', engines, (text) => resolveEngine(text).id],
  ['scenario', scenarios, scenarioOf],
];

// Loading the catalogue already rejects duplicate aliases. This test also shows that no rule overrides an alias.
describe.each(kinds)('%s', (_kind, rows, resolve) => {
  test('resolves every id, name and alias to its own entry', () => {
    const wrong = rows.flatMap(({ id, name, aliases }) =>
      [id, ...(name === undefined ? [] : [name]), ...aliases]
        .flatMap((alias) => [alias, alias.toUpperCase(), `  ${alias} `])
        .filter((alias) => resolve(alias) !== id)
        .map((alias) => `${alias} is ${resolve(alias)}, not ${id}`),
    );
    expect(wrong).toEqual([]);
  });

  test('has frozen rows', () => {
    for (const row of rows) {
      expect(Object.isFrozen(row)).toBe(true);
      expect(Object.isFrozen(row.aliases)).toBe(true);
    }
  });
});

test('rejects two entries with one alias', () => {
  const twice = [
    { key: 'k', id: 'a' },
    { key: 'k', id: 'b' },
  ];
  expect(() => indexAliases('test', twice)).toThrow(/"k" names both a and b/);
});

/** Aliases that more than one entry has, found with a different comparison than the index uses. */
function claimedTwice(rows: readonly { id: string; aliases: readonly string[]; name?: string }[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const { id, name, aliases } of rows) {
    for (const alias of [id, name ?? id, ...aliases]) {
      const key = compactKey(alias);
      owners.set(key, (owners.get(key) ?? new Set()).add(id));
    }
  }
  return [...owners].filter(([, ids]) => ids.size > 1).map(([key, ids]) => `${key} is ${[...ids].join(' and ')}`);
}

// A family id must match exactly. Only its aliases are normalized.
const gpuFamilyNames = namedGpuFamilies.map(({ id, aliases }) => ({ id: aliases[0] ?? id, aliases }));

describe('an alias belongs to one entry only', () => {
  test.each<[string, readonly { id: string; aliases: readonly string[]; name?: string }[]]>([
    ['GPUs and their families', [...gpus, ...gpuFamilyNames]],
    ['models', models],
    ['quantizations', quantizations],
    ['engines', engines],
    ['scenarios', scenarios.map(({ id, title, aliases }) => ({ id, name: title, aliases }))],
    ['SLO presets', sloPresets.map(({ id }) => ({ id, aliases: [] }))],
  ])('%s', (_kind, rows) => {
    expect(rows.length).toBeGreaterThan(5);
    expect(claimedTwice(rows)).toEqual([]);
  });

  test('a model with the name of a family belongs to it', () => {
    for (const { id } of modelFamilies) {
      const model = models.find((row) =>
        [row.id, row.name, ...row.aliases].some((a) => compactKey(a) === compactKey(id)),
      );
      if (model !== undefined) expect(model.family).toBe(id);
    }
  });

  // A count may be off by 0.5 %, so two rows of one type must differ by more than twice that.
  test('types printed by llama-bench', () => {
    for (const [at, a] of llamaBenchTypes.entries()) {
      expect(new Set(a.candidates).size, a.printed).toBe(a.candidates.length);
      for (const b of llamaBenchTypes.slice(at + 1)) {
        const apart = Math.abs(a.paramsB - b.paramsB) / Math.max(a.paramsB, b.paramsB);
        if (compactKey(a.printed) === compactKey(b.printed)) expect(apart, a.printed).toBeGreaterThan(0.01);
      }
    }
  });

  test('finds duplicates', () => {
    const rows = [
      { id: 'a', aliases: ['RTX 4090'] },
      { id: 'b', aliases: ['rtx-4090'] },
    ];
    expect(claimedTwice(rows)).toEqual(['rtx4090 is a and b']);
  });
});

test('resolves an id that is also a family to that family', () => {
  for (const { id } of gpuFamilies) expect(resolveGpu(id).family).toBe(id);
  for (const { id } of modelFamilies) expect(resolveModel(id).family, id).toBe(id);
});

test.each(resolvers)('%s accepts any text', (_name, resolve) => {
  const pieces = [
    'H100',
    '8x',
    ' ',
    '-',
    '/',
    'Q4_K_M',
    'llama',
    '3.1',
    ':',
    '.gguf',
    '(',
    '®',
    'w8a8',
    '_',
    '@d',
    'pp512',
    '\\',
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.constantFrom('__proto__', 'constructor', 'toString', '\ud800', '\0'),
  );
  fc.assert(
    fc.property(text, (input) => {
      const found = resolve(input);
      if (typeof found === 'object' && found !== null && 'name' in found) expect(found.name).toBe(input);
    }),
    { numRuns: 300 },
  );
});

// Names are untrusted: a name of 100 kB must cost no more than reading it.
const long = ['a', '1', ' ', '-', '.', '/', 'x8', '8x', 'a-', 'q4_', '--', '_w8a8', 'ﷺ', 'H100 ', '(', ',a'];
test.each(resolvers)('%s is fast for long texts', (_name, resolve) => {
  for (const piece of long) {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const before = process.threadCpuUsage();
    resolve(text);
    expect(process.threadCpuUsage(before).user / 1000, JSON.stringify(piece)).toBeLessThan(10_000);
  }
});

test('catalogueKey folds width, case and blanks, and is idempotent', () => {
  expect(catalogueKey('  Foo\t\n ＢＡＲ  9 ')).toBe('foo bar 9');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => catalogueKey(catalogueKey(text)) === catalogueKey(text)),
  );
});
