import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The login that `npm start` writes to the data directory of a checkout, for the client that was built there; null for an
 * installed client.
 *
 * @param main URL of the client's own file
 */
export function localLoginFile(main: string, { DATA_DIR: dataDir }: Readonly<Record<string, string | undefined>>) {
  const folder = fileURLToPath(new URL('..', main));
  // The package has no build script.
  if (!existsSync(resolve(folder, 'build.ts'))) return null;
  return resolve(folder, '../..', dataDir || '.data', 'login.json');
}
