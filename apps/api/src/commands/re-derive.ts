// Reads every stored artifact with this release and shows which figures become others; --apply puts them in place:
// npm run re-derive -- [--apply] [--tool NAME] [--after sub_...]
import { parseArgs } from 'node:util';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase } from '@inferboard/db/client';
import { artifactStoreOf } from '../artifact-settings.ts';
import { rederiveStored } from './rederive-stored.ts';
import { releaseOf, runCommand, UsageError, visitDirectly } from './run-command.ts';

const usage = 'npm run re-derive -- [--apply] [--tool NAME] [--after sub_...]';

function readArguments() {
  try {
    const { values } = parseArgs({
      options: { apply: { type: 'boolean' }, tool: { type: 'string' }, after: { type: 'string' } },
    });
    if (values.apply && values.after !== undefined) throw new Error('--apply goes on by itself where it broke off');
    return { apply: values.apply ?? false, tool: values.tool ?? null, after: values.after ?? '' };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

await runCommand(process.env, async (command) => {
  const asked = readArguments();
  const database = createDatabase(await visitDirectly(command), { poolSize: 2, statementTimeout_ms: 600_000 });
  command.releases.push(() => database.close());
  const artifacts = createArtifactStore(artifactStoreOf(command.env));
  const wanted = { ...asked, release: await releaseOf(), artifacts };
  if (!(await rederiveStored(database, wanted, console.log)))
    throw new UsageError('Another process re-derives at the moment.');
});
