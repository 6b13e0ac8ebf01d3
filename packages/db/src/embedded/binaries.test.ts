import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findNativeDir, prepareBinaries } from './binaries.ts';
import { findOwner } from './owner.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'inferboard-binaries-'));
  await chmod(root, 0o755);
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** Unpacks the server files of the package as npm does, without the symbolic links. */
async function unpack(folder: string): Promise<string> {
  const source = await findNativeDir();
  const nativeDir = join(folder, 'native');
  await cp(source, nativeDir, {
    recursive: true,
    filter: (path) => !/\.a$|\/share$|\/lib\/postgresql$|icu.*\.so(\.60)?$/.test(path),
  });
  await cp(join(dirname(source), 'package.json'), join(folder, 'package.json'));
  await chmod(join(nativeDir, 'bin', 'initdb'), 0o644);
  return nativeDir;
}

test('creates library links and makes programs executable, also when repeated', async () => {
  const nativeDir = await unpack(join(root, 'package'));
  const owner = await findOwner(join(root, 'none'));
  const [binaries] = await Promise.all(
    Array.from({ length: 3 }, () => prepareBinaries({ dataDir: root, owner, nativeDir, cacheDirs: [] })),
  );
  expect(binaries?.initdb.startsWith(nativeDir)).toBe(true);
  const { stdout } = await run(binaries?.initdb ?? '', ['--version'], { ...owner, cwd: '/' });
  expect(stdout).toContain('18.');
});

// A clone below /root with mode 0700, as in `docker run` and on many servers.
test.runIf(isRoot)('copies the programs once if the server account cannot access them', async () => {
  const closed = join(root, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const nativeDir = await unpack(join(closed, 'package'));
  const owner = await findOwner(join(root, 'none'));
  await writeFile(join(root, 'file'), '');
  const options = {
    dataDir: root,
    owner,
    nativeDir,
    cacheDirs: [join(root, 'file', 'below'), closed, join(root, 'cache')],
  };
  const all = await Promise.all([prepareBinaries(options), prepareBinaries(options)]);
  for (const binaries of all) expect(binaries.postgres.startsWith(join(root, 'cache'))).toBe(true);
  expect(await readdir(join(root, 'cache'))).toHaveLength(1);
});

test.runIf(isRoot)('never runs programs from a folder that other accounts can write to', async () => {
  const closed = join(root, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const nativeDir = await unpack(join(closed, 'package'));
  const common = join(root, 'common');
  await mkdir(common);
  await chmod(common, 0o1777);
  const owner = await findOwner(join(root, 'none'));
  await expect(prepareBinaries({ dataDir: root, owner, nativeDir, cacheDirs: [common] })).rejects.toThrow(
    /DATABASE_URL/,
  );
  expect(await readdir(common)).toEqual([]);
});

test('reports the remedy in one line if the programs do not run', async () => {
  const nativeDir = await unpack(join(root, 'package'));
  await writeFile(join(nativeDir, 'bin', 'postgres'), 'not for this machine');
  const owner = await findOwner(join(root, 'none'));
  const attempt = prepareBinaries({ dataDir: root, owner, nativeDir, cacheDirs: [join(root, 'cache')] });
  await expect(attempt).rejects.toThrow(/^The embedded PostgreSQL .* does not run here: .*Set DATABASE_URL .*\.$/);
});
