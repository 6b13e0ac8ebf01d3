// Bundles the client into dist with all that it needs, so that its package has no dependencies.
import { chmod, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = fileURLToPath(new URL('./dist/', import.meta.url));

/** The load generator starts its thread from a file in the same folder. */
const threadFile: Plugin = {
  name: 'thread-file',
  transform: {
    filter: { id: /measure-load\.ts$/ },
    handler: (code) =>
      code.replace("new URL('./load-thread.ts', import.meta.url)", "new URL('./load.js', import.meta.url)"),
  },
};

/** Names and licences of the packages whose modules are in a bundle. */
async function licencesOf(modules: readonly string[]): Promise<string> {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

const bundle = await rolldown({
  input: {
    main: join(root, 'packages/cli/src/main.ts'),
    load: join(root, 'packages/loadgen/src/measure/load-thread.ts'),
  },
  platform: 'node',
  transform: { target: 'node20' },
  plugins: [threadFile],
});
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  cleanDir: true,
  minify: true,
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
// npm makes a command executable only if it exists when the workspace is installed.
await chmod(join(dist, 'main.js'), 0o755);
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
await writeFile(join(dist, 'THIRD-PARTY-LICENSES'), await licencesOf(modules));
await copyFile(join(root, 'LICENSE'), join(dist, 'LICENSE'));
