// Restores a dump into an empty database: npm run restore -- DIR
import { resolve } from 'node:path';
import { readManifest } from '@inferboard/db/dump/manifest';
import { restoreDump } from '@inferboard/db/dump/restore-dump';
import { openDirectly, runCommand, UsageError } from './run-command.ts';

await runCommand(process.env, async (command) => {
  const [folder, ...rest] = process.argv.slice(2);
  if (folder === undefined || rest.length > 0 || folder.startsWith('-'))
    throw new UsageError('npm run restore -- DIR, where DIR is a folder written by npm run dump.');
  // Before the database is opened, so that a wrong folder does not create an embedded one.
  await readManifest(resolve(folder));
  const { manifest, sha256 } = await restoreDump(await openDirectly(command), resolve(folder), {
    onTable: ({ name, rows }) => console.log(`${name}: ${rows} rows`),
  });
  console.log(`All rows, read back: ${sha256}`);
  console.log(`The dump of ${manifest.created_at} is restored completely. The next start creates a new admin key.`);
});
