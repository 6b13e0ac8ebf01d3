import { readFile } from 'node:fs/promises';
import { parameterShape } from '@inferboard/core/submission/parameters';
import { findSetting, upsertSetting } from '@inferboard/db/queries/setting';
import { z } from 'zod';
import { answerHere } from './actions/answer-submission.ts';
import { ensureAccount } from './bootstrap.ts';
import type { Deps } from './deps.ts';

const sampleDir = new URL(import.meta.resolve('@inferboard/db/sample/manifest.json').replace(/manifest\.json$/, ''));

const ManifestSchema = z.array(
  z.strictObject({ file: z.string(), about: z.string(), parameters: z.strictObject(parameterShape) }),
);

const settingName = 'sample_data_loaded';

/**
 * Submits the sample artifacts through the action behind POST /v1/submissions, once per installation. Interrupted, it
 * goes on at the next start: what was stored already is recognised as a duplicate.
 */
export async function loadSampleData(deps: Deps): Promise<void> {
  const { db } = deps.database;
  if ((await findSetting(db, settingName)) === true) return;
  const name = 'sample-data';
  const principal = { accountId: await ensureAccount(db, name), accountName: name, keyId: '', scopes: [] };
  const manifest = ManifestSchema.parse(JSON.parse(await readFile(new URL('manifest.json', sampleDir), 'utf8')));
  deps.log('info', `Loading the sample data: ${manifest.length} artifacts ...`);
  for (const { file, parameters } of manifest) {
    const upload = { bytes: await readFile(new URL(file, sampleDir)), parameters, dryRun: false, isFull: false };
    const job = { principal, upload, request: null };
    // In the thread for large ones: its code is compiled by the time somebody sends one.
    await (deps.intake === null ? answerHere(deps, job) : deps.intake.submit(job));
  }
  await upsertSetting(db, settingName, true);
}
