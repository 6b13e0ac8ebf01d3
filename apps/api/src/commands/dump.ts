// Writes all public data into a new folder, while the service runs or not: npm run dump -- DIR
import { resolve } from 'node:path';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { writeDump } from '@inferboard/db/dump/write-dump';
import { artifactStoreOf } from '../startup/artifact-settings.ts';
import { releaseOf, requireMigratedAt, runCommand, UsageError, visitDirectly } from './run-command.ts';

await runCommand(process.env, async (command) => {
  const [folder, ...rest] = process.argv.slice(2);
  if (folder === undefined || rest.length > 0 || folder.startsWith('-'))
    throw new UsageError('npm run dump -- DIR, where DIR is a folder that does not exist yet.');
  const url = await visitDirectly(command);
  await requireMigratedAt(url);
  const manifest = await writeDump(url, resolve(folder), {
    release: await releaseOf(),
    artifacts: createArtifactStore(artifactStoreOf(command.env)),
    onTable: ({ name, rows, bytes }) => console.log(`${name}: ${rows} rows, ${bytes} bytes`),
  });
  if (manifest.objects > 0) console.log(`${manifest.objects} artifacts from the object store`);
  console.log(`All rows: ${manifest.sha256}`);
  console.log(`Written to ${folder}`);
});
