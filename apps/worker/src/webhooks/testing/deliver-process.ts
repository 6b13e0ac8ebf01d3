// Delivers what is due, in a process of its own that a test can kill. It is told of the database in its first message.
import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase } from '@inferboard/db/client';
import { followCatalogue } from '@inferboard/db/follow-catalogue';
import { createPolicy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { noTracing } from '@inferboard/telemetry/tracing';
import { deliverDue } from '../deliver-due.ts';

interface Told {
  databaseUrl: string;
  secretKey: string;
}

process.once('message', async ({ databaseUrl, secretKey }: Told) => {
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
