// Delivers due messages in a separate process that a test can kill. Its first message names the database.
import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { createPolicy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { noTracing } from '@inferboard/telemetry/tracing';
import { deliverDue } from '../deliver-due.ts';

interface Message {
  databaseUrl: string;
  secretKey: string;
}

process.once('message', async ({ databaseUrl, secretKey }: Message) => {
  const database = createDatabase(databaseUrl, { poolSize: 2 });
  const outbound = createPolicy({ contact: 'https://bench.example/contact', allowCidrs: ['127.0.0.0/8'] });
  const keyring = await createKeyring(secretKey);
  const deps = {
    database,
    catalogue: followCatalogue(database),
    outbound,
    keyring,
    publicUrl: 'https://bench.example',
    artifacts: inDatabase,
    workerId: 'killed',
    log: () => {},
    tracing: noTracing,
  };
  await deliverDue(deps, new AbortController().signal);
  await database.close();
  process.disconnect();
});
