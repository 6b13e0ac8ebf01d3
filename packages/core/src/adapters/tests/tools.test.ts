import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { matchTool } from '../../filters/filters.ts';
import { adapters } from '../index.ts';
import { tools } from '../tools.ts';

const core = new URL('../../', import.meta.url);
const site = new URL('../../../../../apps/site/src/', import.meta.url);

test('lists every adapter, in order', () => {
  expect(tools).toEqual(adapters.map(({ id, title }) => ({ id, name: title })));
});

const fixtures = new URL('../../../fixtures/', import.meta.url);
/** Formats whose files state the tool. */
const stating = new Set(['native', 'native-csv', 'inferboard-results']);

test.each(tools.filter(({ id }) => !stating.has(id)))('the filter $id finds the results of its fixtures', ({ id }) => {
  const folder = new URL(`${id}/`, fixtures);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.expected.json') && !name.includes('.refused.'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')).tool.name as string);
  expect(names.length).toBeGreaterThan(0);
  // A file of several tools names all of them.
  expect(names.filter((name) => !name.includes(' + ') && !matchTool(id).includes(name))).toEqual([]);
});

/** The runtime imports of a source file, without types. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file), 'utf8');
  return [...text.matchAll(/^\s*(?:import|export)\s+(?!type\b)(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)]
    .map(([, name = '']) => name)
    .map((name) => name.replace(/^@inferboard\/core\/(.+)$/, `${core.href}$1.ts`))
    .filter((name) => /^(?:\.|file:)/.test(name))
    .map((name) => new URL(name, file).href)
    .filter((name) => /\.(?:ts|astro)$/.test(name) && existsSync(new URL(name)));
}

/** All files that some files load. Iterating a set includes the items added during the iteration. */
function reached(entries: readonly string[]): Set<string> {
  const files = new Set(entries);
  for (const file of files) for (const name of importsOf(file)) files.add(name);
  return files;
}

const siteFiles = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:ts|astro)$/.test(name) && !name.endsWith('.test.ts'))
  .map((name) => new URL(name, site).href);
const coreFile = (name: string) => new URL(name, core).href;

/** Files of the adapters other than the list of tools and the types. */
const parsersIn = (files: Iterable<string>) =>
  [...files].filter((name) => name.startsWith(coreFile('adapters/')) && !/adapters\/(?:adapter|tools)\.ts$/.test(name));

test.each([
  ['the site', siteFiles],
  ['the question grammar', [coreFile('questions/index.ts')]],
  ['the filters', [coreFile('filters/filters.ts')]],
])('loads only the tool list for %s, and no parser', (_, entries) => {
  const files = reached(entries);
  expect(files.has(coreFile('adapters/tools.ts'))).toBe(true);
  expect(parsersIn(files)).toEqual([]);
});

test('finds the parsers if they are loaded', () => {
  const files = reached([coreFile('submission/read-submission.ts')]);
  expect(parsersIn(files).length).toBeGreaterThan(100);
});
