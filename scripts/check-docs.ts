// Fails when a document names a path of this repository that is not there, or an npm script that does not exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const documents = globSync(
  '{*.md,docs/**/*.md,packages/*/*.md,packages/*/{sample,fixtures,migrations}/*.md,apps/*/*.md}',
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

// Paths in backticks that begin with one of our folders, and relative links.
const cited =
  /`((?:apps|packages|docs|scripts|tests|bench|infra|\.ci)\/[\w./@[\]-]*)`|\]\((?!https?:|#|mailto:)([^)\s#]+)[^)]*\)/g;
const commands = /`?npm (?:run )?([a-z][\w:-]*)/g;
const builtIn = new Set(['ci', 'install', 'pack', 'run', 'start', 'test']);

const faults: string[] = [];
for (const document of documents) {
  const text = readFileSync(document, 'utf8');
  for (const match of text.matchAll(cited)) {
    const path = match[1] ?? join(dirname(document), match[2] ?? '');
    if (!existsSync(normalize(path))) faults.push(`${document}: there is no ${path}`);
  }
  for (const [, name = ''] of text.matchAll(commands)) {
    if (!builtIn.has(name) && !(name in scripts)) faults.push(`${document}: there is no script "${name}"`);
  }
}
for (const fault of faults) console.error(fault);
console.log(`${documents.length} documents checked`);
process.exit(faults.length === 0 ? 0 : 1);
