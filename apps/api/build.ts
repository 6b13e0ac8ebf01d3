// Bundles the service into dist, so that a process reads some twenty files instead of two thousand: docs/decisions/0035.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = fileURLToPath(new URL('./dist/', import.meta.url));

/** What is started as a process or thread of its own, and under which name. */
const entries: Record<string, string> = {
  main: 'apps/api/src/main.ts',
  member: 'apps/api/src/processes/member.ts',
  worker: 'apps/worker/src/main.ts',
  intake: 'apps/api/src/intake/intake-worker.ts',
  load: 'packages/loadgen/src/measure/load-thread.ts',
};
const entryOf = new Map(Object.entries(entries).map(([name, source]) => [root + source, name]));

/** Keeps what sources say of files beside them: entries become those in dist, all else stays where it is. */
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

const bundle = await rolldown({
  input: Object.fromEntries([...entryOf].map(([source, name]) => [name, source])),
  platform: 'node',
  // Packages stay in node_modules, and bring what they read at run time. drizzle-orm reads nothing.
  external: (id) => !/^(?:[./]|@inferboard\/|drizzle-orm(?:\/|$))/.test(id),
  plugins: [keepPlaces],
});
await bundle.write({ dir: dist, format: 'esm', cleanDir: true, chunkFileNames: '[name]-[hash].js' });
await bundle.close();
