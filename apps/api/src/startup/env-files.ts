import { readFileSync } from 'node:fs';

const suffix = '_FILE';

/**
 * Replaces settings that name a file by the file's content: `SECRET_KEY_FILE=/run/secrets/secret_key` sets `SECRET_KEY`.
 * Orchestrators provide secrets as files, and environment variables are visible to users who can inspect the process.
 *
 * @param names settings that may be given as files
 * @throws Error with one line that names the setting, if a file cannot be read or both forms are set
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
    if (environment[name]) throw new Error(`${name} and ${name}${suffix} are both set. Set only one`);
    try {
      read[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Error(`${name}${suffix}: ${path} cannot be read (${reason})`);
    }
  }
  return read;
}
