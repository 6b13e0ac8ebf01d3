// Bundles the service into dist, so that a process reads about twenty files instead of two thousand: docs/decisions/0035.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = fileURLToPath(new URL('./dist/', import.meta.url));

/** Entry points that run as a separate process or thread, by output name. */
const entries: Record<string, string> = {
  main: 'apps/api/src/main.ts',
  member: 'apps/api/src/processes/member.ts',
  worker: 'apps/worker/src/main.ts',
  intake: 'apps/api/src/intake/intake-worker.ts',
  load: 'packages/loadgen/src/measure/load-thread.ts',
};
/** Commands of operators, which `npm run` starts from their sources and containers from here. */
const commands = ['audit', 'dump', 'import', 'migrate', 'move-artifacts', 're-derive', 'restore', 'rotate-secrets'];
for (const name of commands) entries[name] = `apps/api/src/commands/${name}.ts`;
const entryOf = new Map(Object.entries(entries).map(([name, source]) => [root + source, name]));

/** Keeps relative file references valid: entry points refer to dist, other files to their source folders. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { id: /\.ts$/, code: /import\.meta\.url/ },
    handler(code, id) {
      const besides = code.replace(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, (whole, path: string) => {
        const entry = entryOf.get(fileURLToPath(new URL(path, `file://${id}`)));
        return entry === undefined ? whole : `new URL('./${entry}.js', import.meta.dist)`;
      });
      const source = JSON.stringify(relative(dist, id));
      return besides
        .replaceAll('import.meta.url', `new URL(${source}, import.meta.dist).href`)
        .replaceAll('import.meta.dist', 'import.meta.url');
    },
  },
};

/** True if a workspace has its own version of a package: dist would resolve another one. */
function isNested(id: string, importer: string | undefined): boolean {
  const [, folder] = /^(.*\/packages\/[^/]+)\/(?:src|node_modules)\//.exec(importer ?? '') ?? [];
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
  return folder !== undefined && name !== undefined && existsSync(join(folder, 'node_modules', name));
}

const bundle = await rolldown({
  input: Object.fromEntries([...entryOf].map(([source, name]) => [name, source])),
  platform: 'node',
  // Packages stay in node_modules, because some read their own files at run time. drizzle-orm reads none.
  external: (id, importer) => !/^(?:[./]|@inferboard\/|drizzle-orm(?:\/|$))/.test(id) && !isNested(id, importer),
  plugins: [keepPlaces],
});
await bundle.write({ dir: dist, format: 'esm', cleanDir: true, chunkFileNames: '[name]-[hash].js' });
await bundle.close();
