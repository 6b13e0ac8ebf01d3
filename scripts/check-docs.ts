// Fails if a document names a path that is not in this repository or an npm script that does not exist, or if a direct dependency is
// missing from docs/dependencies.md. Build output counts as absent: a fresh clone does not have it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const documents = globSync(
  '{*.md,docs/**/*.md,packages/*/*.md,packages/*/{sample,fixtures,migrations}/*.md,apps/*/*.md}',
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

// Paths in backticks that start with one of our folders, and relative links.
const cited =
  /`((?:apps|packages|docs|scripts|tests|bench|infra|\.ci)\/[\w./@[\]-]*)`|\]\((?!https?:|#|mailto:)([^)\s#]+)[^)]*\)/g;
const buildOutput = /\/(?:dist|node_modules)\//;
const commands = /`?npm (?:run )?([a-z][\w:-]*)/g;
const builtIn = new Set(['ci', 'install', 'pack', 'run', 'start', 'test']);

const faults: string[] = [];
for (const document of documents) {
  const text = readFileSync(document, 'utf8');
  for (const match of text.matchAll(cited)) {
    const path = match[1] ?? join(dirname(document), match[2] ?? '');
    if (!existsSync(normalize(path)) || buildOutput.test(path)) faults.push(`${document}: there is no ${path}`);
  }
  for (const [, name = ''] of text.matchAll(commands)) {
    if (!builtIn.has(name) && !(name in scripts)) faults.push(`${document}: there is no script "${name}"`);
  }
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>>;
};
/** Names in backticks; `@types/*` means all packages of its scope. */
const listed = [...readFileSync('docs/dependencies.md', 'utf8').matchAll(/`([@\w./-]+\*?)`/g)].map(
  ([, name = '']) => name,
);
const isListed = (name: string) =>
  listed.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
const direct = Object.entries(packages)
  .filter(([path]) => !path.includes('node_modules/'))
  .flatMap(([, one]) => Object.keys({ ...one.dependencies, ...one.devDependencies, ...one.optionalDependencies }));
for (const name of new Set(direct)) {
  // Node's packages for other platforms.
  if (name.startsWith('@inferboard/') || /^node-(?:bin-)?\w+-\w+$/.test(name)) continue;
  if (!isListed(name)) faults.push(`docs/dependencies.md: ${name} is missing`);
}
for (const fault of faults) console.error(fault);
console.log(`${documents.length} documents checked`);
process.exit(faults.length === 0 ? 0 : 1);
