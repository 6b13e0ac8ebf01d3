import { execFileSync } from 'node:child_process';

const packages = { nginx: 'nginx-light', yamllint: 'yamllint', shellcheck: 'shellcheck', openssl: 'openssl' } as const;

/**
 * The path of a system program that production uses. If it is missing, prints how to install it and returns null. With
 * REQUIRE_TOOLS set, a missing program is an error.
 */
export function findTool(name: keyof typeof packages): string | null {
  try {
    const found = execFileSync('which', [name], { env: { PATH: `${process.env.PATH}:/usr/sbin` }, stdio: 'pipe' });
    return found.toString().trim();
  } catch {
    const hint = `${name} is missing: apt-get install --no-install-recommends ${packages[name]}`;
    if (process.env.REQUIRE_TOOLS) throw new Error(hint);
    console.warn(`${hint}. Its tests are skipped.`);
    return null;
  }
}
