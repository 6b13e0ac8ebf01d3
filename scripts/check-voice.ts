// Fails if a document, a comment or a string uses a word of scripts/voice/words.ts. With --count it prints how often each is used.
import { globSync, readFileSync } from 'node:fs';
import { commentsOf, findUses, proseOf, stringsOf, type Use } from './voice/find.ts';
import { allowed, skipped, words } from './voice/words.ts';

const documents =
  '{*.md,docs/**/*.md,infra/**/*.md,packages/*/*.md,packages/*/{sample,fixtures,migrations}/*.md,apps/*/*.md,patches/*.patch}';
const sources = '{apps,packages,tests,bench,scripts,infra}/**/*.{ts,mjs,astro}';
/** Files whose comments start with `#`. */
const configs =
  '{.ci/*,.github/**/*.yml,**/action.yml,infra/**/*.{yml,yaml,sh,conf,ini,example},infra/**/*Dockerfile*}';

const isAmong = (path: string, list: readonly string[]) =>
  list.some((one) => path === one || (one.endsWith('/') && path.startsWith(one)));
const isGenerated = (path: string) =>
  /(?:^|\/)(?:node_modules|dist|client|fixtures)\/|\.gen\.ts$|^scripts\/voice\//.test(path);
/** Strings of tests are inputs and names of cases. */
const isTest = (path: string) => /\.test\.ts$|\/testing\/|^tests\/|^bench\//.test(path);

const list = (pattern: string): string[] =>
  globSync(pattern)
    .filter((path) => !isGenerated(path) && !isAmong(path, skipped))
    .sort();

/** The texts of a file, each with its line numbers. */
function textsOf(path: string, text: string): string[] {
  const isPage = path.endsWith('.astro');
  if (path.endsWith('.md')) return [proseOf(text)];
  if (path.endsWith('.patch')) return [text.slice(0, text.indexOf('diff --git'))];
  if (!/\.(?:ts|mjs|astro)$/.test(path)) return [text];
  const comments = commentsOf(text, isPage);
  return isTest(path) ? [comments] : [stringsOf(text, isPage), comments];
}

const files = [documents, sources, configs].flatMap(list);
const uses = files.flatMap((path): (Use & { path: string })[] => {
  const phrases = allowed.filter(({ file }) => file === path).map(({ phrase }) => phrase);
  return textsOf(path, readFileSync(path, 'utf8')).flatMap((text) =>
    findUses(text, words, phrases).map((use) => ({ path, ...use })),
  );
});

if (process.argv.includes('--count')) {
  const counts = Object.groupBy(uses, ({ word }) => word.name);
  for (const [name, found] of Object.entries(counts)) console.log(`${String(found?.length).padStart(5)} ${name}`);
} else {
  const unused = allowed.filter(
    ({ file, phrase }) => !files.includes(file) || !readFileSync(file, 'utf8').includes(phrase),
  );
  for (const { path, line, found, word } of uses) console.error(`${path}:${line}: "${found}": write ${word.instead}`);
  for (const { file, phrase } of unused) console.error(`scripts/voice/words.ts: ${file} has no "${phrase}"`);
  process.exitCode = uses.length + unused.length === 0 ? 0 : 1;
}
