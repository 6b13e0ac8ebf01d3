// Imports a publication as regular submissions, each figure with its source:
// npm run import -- mlperf DIR | inferencex FILE | folder DIR --manifest FILE.csv [--account import-NAME] [--dry-run]
import { parseArgs } from 'node:util';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { readFolder } from '../imports/folder-manifest.ts';
import { type Publication, PublicationError } from '../imports/import-item.ts';
import { readInferencexFile } from '../imports/inferencex-file.ts';
import { readMlperfCheckout } from '../imports/mlperf-checkout.ts';
import { printImport, showProgress } from '../imports/print-import.ts';
import { runImport } from '../imports/run-import.ts';
import { artifactStoreOf } from '../startup/artifact-settings.ts';
import { publicUrlOf } from '../startup/env.ts';
import { requireMigrated, runCommand, UsageError, visitDirectly } from './run-command.ts';

const usage = `npm run import -- mlperf DIR [--dry-run]
npm run import -- inferencex FILE [--dry-run]
npm run import -- folder DIR --manifest FILE.csv [--account import-NAME] [--dry-run]`;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        manifest: { type: 'string' },
        account: { type: 'string' },
        'dry-run': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    if (values.help === true) return null;
    const [kind, place, ...more] = positionals;
    const { manifest, account } = values;
    if (place === undefined || more.length > 0) throw new Error('State the kind of import and its path.');
    if ((kind === 'folder') !== (manifest !== undefined))
      throw new Error('--manifest is required for a folder, and only for a folder.');
    if (account !== undefined && kind !== 'folder') throw new Error('--account is only for a folder.');
    if (account !== undefined && !/^import-[a-z0-9-]{1,40}$/.test(account))
      throw new Error('--account must be import- followed by lowercase letters, digits and hyphens.');
    return { kind, place, manifest, account: account ?? 'import-folder', isDryRun: values['dry-run'] === true };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

async function readPublication({
  kind,
  place,
  manifest,
  account,
}: NonNullable<ReturnType<typeof readArguments>>): Promise<Publication> {
  try {
    if (kind === 'mlperf') return await readMlperfCheckout(place);
    if (kind === 'inferencex') return await readInferencexFile(place);
    if (kind === 'folder' && manifest !== undefined) return await readFolder(place, manifest, account);
  } catch (error) {
    throw error instanceof PublicationError ? new UsageError(error.message) : error;
  }
  throw new UsageError(`Unknown kind of import "${kind}".\n${usage}`);
}

await runCommand(process.env, async (command) => {
  const wanted = readArguments();
  if (wanted === null) {
    console.log(usage);
    return;
  }
  const publication = await readPublication(wanted);
  const progress = showProgress(process.stderr);
  if (wanted.isDryRun) {
    const imported = await runImport(publication, null, progress.step);
    progress.end();
    printImport(publication, imported, console.log);
    return;
  }
  const { env } = command;
  const database = createDatabase(await visitDirectly(command));
  command.releases.push(() => database.close());
  await requireMigrated(database);
  await followCatalogue(database).follow();
  const deps = {
    database,
    artifacts: createArtifactStore(artifactStoreOf(env)),
    publicUrl: publicUrlOf(env, env.PORT),
  };
  const imported = await runImport(publication, deps, progress.step);
  progress.end();
  printImport(publication, imported, console.log);
});
