import { readFile } from 'node:fs/promises';
import { type Parameters, parameterShape } from '@inferboard/core/submission/parameters';
import { findSetting, upsertSetting } from '@inferboard/db/service/setting';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { ensureAccount } from '../startup/bootstrap.ts';
import type { SamplePart } from '../startup/env.ts';
import { answerInThisThread, type SubmissionJob } from '../submissions/actions/answer-submission.ts';

const sampleDir = new URL(import.meta.resolve('@inferboard/db/sample/manifest.json').replace(/manifest\.json$/, ''));

const ManifestSchema = z.array(
  z.strictObject({ file: z.string(), about: z.string(), parameters: z.strictObject(parameterShape) }),
);

const PackSchema = z.array(z.strictObject({ file: z.string(), account: z.string(), about: z.string() }));

const settingName = 'sample_data_loaded';
const packSettingName = 'public_pack_loaded';

/** Uses the intake thread if there is one, so that its code is compiled before the first large upload. */
const submit = async (deps: Deps, job: SubmissionJob): Promise<void> => {
  await (deps.intake === null ? answerInThisThread(deps, job) : deps.intake.submit(job));
};

/**
 * Submits the sample artifacts through the action behind POST /v1/submissions, once per installation. After an interruption it
 * continues at the next start: stored artifacts are detected as duplicates.
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
    await submit(deps, { principal, upload, request: null });
  }
  await upsertSetting(db, settingName, true);
}

/**
 * Imports the pack of published results, each publication as a submission of its account, once per installation. Stored results
 * are detected, as with the sample.
 */
export async function loadPublicPack(deps: Deps): Promise<void> {
  const { db } = deps.database;
  if ((await findSetting(db, packSettingName)) === true) return;
  const folder = new URL('public/', sampleDir);
  const pack = PackSchema.parse(JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8')));
  deps.log(
    'info',
    `Loading published figures: ${pack.map(({ account }) => account.replace('import-', '')).join(', ')} ...`,
  );
  const parameters = {} as Parameters;
  const load = async ({ file, account }: (typeof pack)[number]) => {
    const principal = { accountId: await ensureAccount(db, account), accountName: account, keyId: '', scopes: [] };
    const bytes = await readFile(new URL(file, folder));
    const upload = { bytes, parameters, dryRun: false, isFull: false, isImported: true };
    await submit(deps, { principal, upload, request: null });
  };
  // Parsing one overlaps with storing another: the total time is that of the largest part.
  await Promise.all(pack.map(load));
  await upsertSetting(db, packSettingName, true);
}

/**
 * Loads the data of a fresh installation, both parts concurrently. An installation with the sample but without the pack comes
 * from an earlier release or was set up without the pack. It gets the pack only if the pack is the only requested part.
 */
export async function loadSampleParts(deps: Deps, parts: readonly SamplePart[]): Promise<void> {
  const { db } = deps.database;
  const isFresh = (await findSetting(db, settingName)) !== true;
  const isBegun = (await findSetting(db, packSettingName)) !== undefined;
  const withPack = parts.includes('public') && (isFresh || isBegun || parts.length === 1);
  // A start that was interrupted after the sample continues with the pack.
  if (withPack && !isBegun) await upsertSetting(db, packSettingName, false);
  await Promise.all([withPack ? loadPublicPack(deps) : null, parts.includes('seeds') ? loadSampleData(deps) : null]);
}
