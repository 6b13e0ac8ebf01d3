// Fails when a document uses a word of scripts/voice/words.ts. With --comments it prints how often comments use them.
import { globSync, readFileSync } from 'node:fs';
import { commentsOf, findUses, proseOf } from './voice/find.ts';
import { allowed, skipped, words } from './voice/words.ts';

const read = (path: string) => readFileSync(path, 'utf8');

function countComments(): void {
  const sources = globSync('{apps,packages,tests,bench,scripts,infra}/**/*.{ts,mjs,astro}').filter(
    (path) => !/node_modules|\/dist\/|\/client\/|fixtures|scripts\/voice\//.test(path),
  );
  const counts = new Map(words.map(({ name }) => [name, { uses: 0, files: new Set<string>() }]));
  for (const path of sources)
    for (const { word } of findUses(commentsOf(read(path)).join('\n'), words)) {
      const count = counts.get(word.name);
      if (count === undefined) continue;
      count.uses++;
      count.files.add(path);
    }
  for (const [name, { uses, files }] of [...counts].sort(([, a], [, b]) => b.uses - a.uses))
    console.log(`${String(uses).padStart(5)} in ${String(files.size).padStart(4)} files  ${name}`);
  const all = [...counts.values()].reduce((sum, { uses }) => sum + uses, 0);
  console.log(`${String(all).padStart(5)} in comments of ${sources.length} files`);
}

function checkDocuments(): string[] {
  const documents = globSync(
    '{*.md,docs/**/*.md,infra/*.md,packages/*/*.md,packages/*/{sample,fixtures,migrations}/*.md,apps/*/*.md}',
  ).sort();
  const faults = documents
    .filter((path) => !skipped.includes(path))
    .flatMap((path) => {
      const phrases = allowed.filter(({ file }) => file === path).map(({ phrase }) => phrase);
      return findUses(proseOf(read(path)), words, phrases).map(
        ({ line, found, word }) => `${path}:${line}: "${found}": write ${word.instead}`,
      );
    });
  const unused = allowed.filter(({ file, phrase }) => !documents.includes(file) || !read(file).includes(phrase));
  return [...faults, ...unused.map(({ file, phrase }) => `scripts/voice/words.ts: ${file} has no "${phrase}"`)];
}

if (process.argv.includes('--comments')) countComments();
else {
  const faults = checkDocuments();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
