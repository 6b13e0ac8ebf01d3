// Re-encrypts with SECRET_KEY all values encrypted with a key of SECRET_KEY_EARLIER, while the service runs or not:
// SECRET_KEY=new SECRET_KEY_EARLIER=old npm run rotate-secrets

import { insertAuditEntry } from '@inferboard/db/accounts/audit';
import { listSealed, replaceSealed, sealedTables } from '@inferboard/db/accounts/encrypted-values';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { transact } from '@inferboard/db/connection/transaction';
import { createKeyring, type Keyring, reseal, SealError } from '@inferboard/outbound/sealed-secrets';
import { SettingsError } from '../startup/env.ts';
import { openDatabase } from '../startup/open-database.ts';
import { readSecretKey } from '../startup/secret-key.ts';
import { requireMigrated, requireNoArguments, runCommand } from './run-command.ts';

const atOnce = 500;

interface Tally {
  sealed: number;
  /** Rows that none of the keys decrypts. */
  unreadable: string[];
}

async function rotate({ db }: Database, keyring: Keyring): Promise<Tally> {
  const tally: Tally = { sealed: 0, unreadable: [] };
  for (const table of sealedTables) {
    for (let after = ''; ; ) {
      const rows = await listSealed(db, { table, keyId: keyring.current.id, after, limit: atOnce });
      for (const row of rows) {
        try {
          const sealed = reseal(keyring, { table, id: row.id }, row);
          const isReplaced = await transact(db, async (tx) => {
            if (!(await replaceSealed(tx, row, sealed))) return false;
            const nobody = { accountId: null, keyId: null, requestId: null };
            const detail = { from: row.keyId, to: sealed.keyId };
            await insertAuditEntry(tx, { act: 'secrets_resealed', target: row.id, ...nobody, detail });
            return true;
          });
          if (isReplaced) tally.sealed += 1;
        } catch (error) {
          if (!(error instanceof SealError)) throw error;
          tally.unreadable.push(row.id);
        }
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
  }
  return tally;
}

await runCommand(process.env, async ({ env, log, releases }) => {
  requireNoArguments(
    'SECRET_KEY=new SECRET_KEY_EARLIER=old npm run rotate-secrets re-encrypts all secrets with SECRET_KEY.',
  );
  const secretKey = await readSecretKey(env);
  if (secretKey === null) throw new SettingsError('SECRET_KEY is not set. It is the key for the re-encryption.');
  const keyring = await createKeyring(secretKey, env.SECRET_KEY_EARLIER);
  const database = createDatabase(await openDatabase(env, log, releases), { poolSize: 2 });
  releases.push(() => database.close());
  await requireMigrated(database);
  const { sealed, unreadable } = await rotate(database, keyring);
  const left = sealed === 0 && unreadable.length === 0 ? '. All secrets use this key' : '';
  console.log(`Secrets re-encrypted with the key ${keyring.current.id}: ${sealed}${left}`);
  if (unreadable.length > 0) {
    console.error(
      `Secrets encrypted with a key that was not given: ${unreadable.join(', ')}. Add the key to SECRET_KEY_EARLIER.`,
    );
    process.exitCode = 1;
  }
});
