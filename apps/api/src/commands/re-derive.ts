// Re-parses every stored artifact with this release and prints the changes of values and ranks; --apply stores them.
import { parseArgs } from 'node:util';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { artifactStoreOf } from '../startup/artifact-settings.ts';
import { rederiveStored } from './rederive-stored.ts';
import { releaseOf, requireMigratedAt, runCommand, UsageError, visitDirectly } from './run-command.ts';

const usage = `npm run re-derive -- [--apply] [--tool NAME] [--after sub_...] [--all]

Parses every stored artifact with this release, and lists the results that change, field by field, and the ranks that
change, with the reason.

Without --apply it is a dry run. It works on a temporary copy of the results and their statistics inside the database:
PostgreSQL rejects writes to the tables themselves, and uploads do not wait for it. It needs as much free disk space as
those tables use (everything but artifacts), and somewhat more time than --apply.

  --apply        apply the changes, one transaction for each submission
  --tool NAME    only submissions of this tool
  --after ID     only submissions after this one; --apply continues automatically where it stopped
  --all          list every rank that changes, and not only the first 200
  --help         show this text`;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        apply: { type: 'boolean', default: false },
        tool: { type: 'string' },
        after: { type: 'string' },
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.apply && values.after !== undefined) throw new Error('--apply continues automatically where it stopped');
    return { ...values, tool: values.tool ?? null, after: values.after ?? '' };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

await runCommand(process.env, async (command) => {
  const { help, ...asked } = readArguments();
  if (help) {
    console.log(usage);
    return;
  }
  const artifacts = createArtifactStore(artifactStoreOf(command.env));
  const wanted = { ...asked, release: await releaseOf(), artifacts };
  const url = await visitDirectly(command);
  await requireMigratedAt(url);
  if (!(await rederiveStored(url, wanted, console.log))) throw new UsageError('Another re-derivation is in progress.');
});
