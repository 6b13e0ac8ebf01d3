import { insertAccount } from '@inferboard/db/accounts/account';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { insertEndpoint } from '@inferboard/db/runs/endpoint';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createKeyring, seal } from '@inferboard/outbound/sealed-secrets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { warnOfSecrets } from './warn-of-secrets.ts';

const [key, other] = ['the-key-of-this-start-0123456789', 'another-key-0123456789'];
const testDatabase = useTestDatabase();
let database: Database;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 2 });
  const accountId = (await insertAccount(database.db, 'operator'))?.id ?? '';
  const facts = { baseUrl: 'https://llm.example.com/v1', model: 'm', facts: {}, proofToken: 'token' };
  for (const name of ['one', 'two']) {
    const keyring = await createKeyring(name === 'one' ? key : other);
    await insertEndpoint(database.db, { accountId, name, ...facts }, (id) =>
      seal(keyring, { table: 'endpoints', id }, `secret of ${name}`),
    );
  }
});
afterAll(() => database.close());

test.each([
  ['the key of one of two secrets', key, [], 1],
  ['both keys', key, [other], null],
  ['no key', null, [], 2],
])('a start with %s reports those that it cannot decrypt', async (_what, secretKey, earlier, count) => {
  const lines: unknown[][] = [];
  const keyring = secretKey === null ? null : await createKeyring(secretKey, earlier);
  await warnOfSecrets(database, keyring, (...line) => void lines.push(line));
  const expected = ['error', expect.stringMatching(new RegExp(`cannot be decrypted: ${count}\\.`, 'u'))];
  expect(lines).toEqual(count === null ? [] : [expected]);
});
