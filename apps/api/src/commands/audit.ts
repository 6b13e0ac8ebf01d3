// Prints admin actions, by key and by command, oldest first, one JSON object per line:
// npm run audit -- [--since 2026-01-31] [--act submission_reviewed] [--target sub_...]
import { parseArgs } from 'node:util';
import { type AuditedAct, auditedActs, listAuditEntries } from '@inferboard/db/accounts/audit';
import { createDatabase } from '@inferboard/db/connection/client';
import { requireMigrated, runCommand, UsageError, visitDirectly } from './run-command.ts';

const atOnce = 1000;
const usage = `npm run audit -- [--since 2026-01-31] [--act ACT] [--target ID]\nActs: ${auditedActs.join(', ')}`;

const isAct = (word: string): word is AuditedAct => auditedActs.some((act) => act === word);

function readArguments() {
  try {
    const { since, act, target } = parseArgs({
      options: { since: { type: 'string' }, act: { type: 'string' }, target: { type: 'string' } },
    }).values;
    if (since !== undefined && Number.isNaN(Date.parse(since))) throw new Error(`--since ${since} is not a date`);
    if (act !== undefined && !isAct(act)) throw new Error(`--act ${act} is unknown`);
    return {
      ...(since !== undefined && { since: new Date(since).toISOString() }),
      ...(act !== undefined && { act }),
      ...(target !== undefined && { target }),
    };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

await runCommand(process.env, async (command) => {
  const wanted = readArguments();
  const database = createDatabase(await visitDirectly(command), { poolSize: 1 });
  command.releases.push(() => database.close());
  await requireMigrated(database);
  for (let after = 0; ; ) {
    const rows = await listAuditEntries(database.db, { ...wanted, after, limit: atOnce });
    for (const { accountId, accountName, keyId, requestId, ...row } of rows) {
      const by = accountId === null ? null : { account: accountId, name: accountName, key: keyId };
      console.log(JSON.stringify({ ...row, by, request_id: requestId }));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) break;
    after = last.id;
  }
});
