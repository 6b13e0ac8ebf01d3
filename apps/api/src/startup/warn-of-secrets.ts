import { countSealedWithOthers } from '@inferboard/db/accounts/encrypted-values';
import type { Database } from '@inferboard/db/connection/client';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from '../deps.ts';

/** Logs how many stored secrets the settings cannot decrypt. Otherwise the first failed run or message would be the first sign. */
export async function warnOfSecrets({ db }: Database, keyring: Keyring | null, log: Log): Promise<void> {
  const count = await countSealedWithOthers(db, [...(keyring?.all.keys() ?? [])]);
  if (count === 0) return;
  log(
    'error',
    `Secrets of endpoints and webhooks that cannot be decrypted: ${count}. They were encrypted with another SECRET_KEY. ` +
      'Set it as SECRET_KEY, or as SECRET_KEY_EARLIER and run npm run rotate-secrets.',
  );
}
