import { readFileSync } from 'node:fs';

const suffix = '_FILE';

/**
 * Puts the content of files in the place of settings that name one: `SECRET_KEY_FILE=/run/secrets/secret_key` is
 * `SECRET_KEY` with what stands there. Files are how orchestrators hand over secrets; an environment is seen by whoever
 * may look at the process.
 *
 * @param names settings that a file may hold
 * @throws Error with one line that names the setting, where a file cannot be read or both are given
 */
export function readFiles(
  environment: Record<string, string | undefined>,
  names: readonly string[],
): Record<string, string | undefined> {
  const read = { ...environment };
  for (const name of names) {
    const path = environment[`${name}${suffix}`];
    delete read[`${name}${suffix}`];
    if (!path) continue;
    if (environment[name]) throw new Error(`${name} and ${name}${suffix} are both set: one is enough`);
    try {
      read[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Error(`${name}${suffix}: ${path} cannot be read (${reason})`);
    }
  }
  return read;
}
