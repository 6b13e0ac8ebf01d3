/** A kind of machine, as packages name it. */
export interface Machine {
  platform: string;
  arch: string;
  libc: string;
}

/** Folders of the packages that npm installs from a lockfile on a machine: all, or without those of development. */
export function listPackages(lockText: string, options: { isPartial: boolean; machine?: Machine }): string[];
