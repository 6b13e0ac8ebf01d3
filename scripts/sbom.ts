// Writes the bill of materials of the shipped packages, as CycloneDX: npm run --silent sbom > sbom.json
// npm's own --omit=dev also omits packages that tests and the product share, such as zod. So npm gets a lock file without the
// packages that only tests and builds need, in a separate folder. The rest is shipped, on all platforms.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lock } from './supply.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;
const withoutTools = ({ devDependencies: _, ...rest }: Record<string, unknown>) => rest;

const folder = mkdtempSync(join(tmpdir(), 'inferboard-sbom-'));
try {
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  };
  const lock = readJson('package-lock.json');
  const packages = lock.packages as Lock; // as npm writes it
  const shipped = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  write('package-lock.json', {
    ...lock,
    packages: Object.fromEntries(shipped.map(([path, entry]) => [path, withoutTools({ ...entry })])),
  });
  for (const [path] of shipped)
    if (!path.includes('node_modules/'))
      write(join(path, 'package.json'), withoutTools(readJson(join(path, 'package.json'))));
  const output = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bill = JSON.parse(output.toString()) as { metadata: { component: { name: string } } };
  // The default name is that of the folder.
  bill.metadata.component.name = 'inferboard';
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
