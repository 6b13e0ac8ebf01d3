// Plain JavaScript without packages, because it runs on the machine's own Node.

/** True if a package names this system or machine, or none. `!` excludes one. */
function isFor(named, own) {
  const names = [named ?? []].flat();
  const [not, only] = [names.filter((name) => name.startsWith('!')), names.filter((name) => !name.startsWith('!'))];
  return !not.includes(`!${own}`) && (only.length === 0 || only.includes(own));
}

/** The C library that packages for Linux are built for. */
const isGlibc = process.report?.getReport().header.glibcVersionRuntime !== undefined;
const here = {
  platform: process.platform,
  arch: process.arch,
  libc: process.platform !== 'linux' || isGlibc ? 'glibc' : 'musl',
};

/** Folders of the packages that npm installs from a lockfile on a machine: all, or without those of development. */
export function listPackages(lockText, { isPartial, machine = here }) {
  return Object.entries(JSON.parse(lockText).packages)
    .filter(([path, { link, dev, os, cpu, libc }]) => {
      if (!path.includes('node_modules/') || link || (isPartial && dev) || !isFor(libc, machine.libc)) return false;
      return isFor(os, machine.platform) && isFor(cpu, machine.arch);
    })
    .map(([path]) => path);
}
