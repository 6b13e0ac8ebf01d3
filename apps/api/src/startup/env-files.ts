import { readFileSync } from 'node:fs';

const suffix = '_FILE';

/** The environment with the settings from files, and what is wrong with the files: one sentence each, without its full stop. */
export interface ReadSettings {
  environment: Record<string, string | undefined>;
  faults: string[];
}

/**
 * Replaces settings that name a file by the file's content: `SECRET_KEY_FILE=/run/secrets/secret_key` sets `SECRET_KEY`.
 * Orchestrators provide secrets as files, and environment variables are visible to users who can inspect the process.
 *
 * @param names settings that may be given as files
 */
export function readFiles(given: Record<string, string | undefined>, names: readonly string[]): ReadSettings {
  const environment = { ...given };
  const faults: string[] = [];
  for (const name of names) {
    const path = given[`${name}${suffix}`];
    delete environment[`${name}${suffix}`];
    if (!path) continue;
    if (given[name]) {
      faults.push(`${name} and ${name}${suffix} are both set. Set only one`);
      continue;
    }
    try {
      environment[name] = readFileSync(path, 'utf8').trim();
      // An empty value counts as unset, so an empty secret would start another database or generate another key.
      if (environment[name] === '') faults.push(`${name}${suffix}: ${path} is empty`);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      faults.push(`${name}${suffix}: ${path} cannot be read (${reason})`);
    }
  }
  return { environment, faults };
}
