import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { copyForDryRun } from '@inferboard/db/re-derive/dry-run';
import { compareRanks, listRankChanges, noteRanks } from '@inferboard/db/re-derive/rank-changes';
import {
  beginRederivation,
  countSubmissions,
  endRederivation,
  listSubmissionIds,
  noteProgress,
  type Progress,
  rederiveAlone,
} from '@inferboard/db/re-derive/rederivation';
import { type Pass, rederiveSubmission } from '@inferboard/db/re-derive/rederive-submission';
import { readStored } from '../submissions/actions/read-stored.ts';
import { rankChangesText } from './rank-changes-text.ts';
import { createTally } from './rederivation-table.ts';

export interface Wanted {
  /** False: a dry run, on copies of the tables. */
  apply: boolean;
  /** Only submissions of this tool; null: all. */
  tool: string | null;
  /** Only submissions after this id. Not for `apply`, which resumes automatically where it stopped. */
  after: string;
  /** Prints every changed rank instead of only the first ones. */
  all: boolean;
  /** The version of this program. */
  release: string;
  artifacts: ArtifactStore;
}

type Print = (line: string) => void;

/** Submissions between two progress lines. */
const batchSize = 100;

/** Maximum number of ranks printed without --all, and of rows in one table. */
const ranksShown = 200;

async function goThrough(
  { db }: Database,
  { tool, after, artifacts, pass }: Pick<Wanted, 'tool' | 'after' | 'artifacts'> & { pass: Pass },
  print: Print,
): Promise<void> {
  const total = await countSubmissions(db, tool, after);
  const tally = createTally();
  const verb = pass.isDryRun ? 'would change' : 'changed';
  let [done, changed, unreadable] = [0, 0, 0];
  for (let reached = after; ; ) {
    const ids = await listSubmissionIds(db, { tool, after: reached, limit: batchSize });
    const last = ids.at(-1);
    if (last === undefined) break;
    const batch: Progress = { reached: last, read: ids.length, changed: 0, unreadable: 0 };
    for (const id of ids) {
      const outcome = await rederiveSubmission(db, id, { read: readStored, artifacts, pass });
      if (outcome.kind === 'changed') {
        batch.changed += 1;
        tally.add(id, outcome.results);
      } else if (outcome.kind === 'unreadable') {
        batch.unreadable += 1;
        tally.addUnreadable(id, outcome.reason);
      }
    }
    if (!pass.isDryRun) await noteProgress(db, pass.id, batch);
    reached = last;
    done += ids.length;
    changed += batch.changed;
    unreadable += batch.unreadable;
    print(`${done} of ${total} submissions read, ${changed} ${verb}: ${last}`);
  }
  print(`\n${tally.toText()}`);
  const left = unreadable === 0 ? '' : ` ${unreadable} cannot be read as before, and are not changed.`;
  print(`\n${changed} of ${done} submissions ${verb}.${left}`);
}

/** Prints the ranks that have changed since the run began. */
async function describeRanks(
  { db }: Database,
  { all, pass }: { all: boolean; pass: Pass },
  print: Print,
): Promise<void> {
  const total = await compareRanks(db, pass.id);
  if (total === 0) {
    print('\nNo rank changes.');
    return;
  }
  const left = total > ranksShown && !all ? ` These are the first ${ranksShown}; --all lists every one.` : '';
  print(`\n${total === 1 ? '1 rank changes' : `${total} ranks change`}.${left}\n`);
  for (let after = 0; after < (all ? total : Math.min(total, ranksShown)); after += ranksShown)
    print(rankChangesText(await listRankChanges(db, { after, limit: ranksShown })));
}

async function lookAt(database: Database, { tool, after, all, release, artifacts }: Wanted, print: Print) {
  const bytes = await copyForDryRun(database.db);
  print(`Working on a temporary copy of the results and their statistics (${Math.ceil(bytes / 1e6)} MB).`);
  const pass: Pass = { id: 'red_dry_run', release, isDryRun: true };
  await noteRanks(database.db);
  await goThrough(database, { tool, after, artifacts, pass }, print);
  await describeRanks(database, { all, pass }, print);
  print('\nNothing was written. Use --apply to write the changes.');
}

async function apply(database: Database, { tool, all, release, artifacts }: Wanted, print: Print): Promise<true> {
  const { id, reached } = await beginRederivation(database.db, release, tool);
  if (reached !== '')
    print(`Continuing after ${reached}, where ${id} stopped. Ranks that it changed are not listed again.`);
  const pass: Pass = { id, release, isDryRun: false };
  await noteRanks(database.db);
  await goThrough(database, { tool, after: reached, artifacts, pass }, print);
  await endRederivation(database.db, id);
  await describeRanks(database, { all, pass }, print);
  print(`\nThe previous results are kept (${id}).`);
  return true;
}

/**
 * Re-parses all stored artifacts with this release and prints the changes, result by result and rank by rank. With `apply`,
 * stores them. Returns false and does nothing while another process applies.
 *
 * @param url direct connection to the database: temporary tables belong to a connection, and a pooler would share it
 */
export async function rederiveStored(url: string, wanted: Wanted, print: Print): Promise<boolean> {
  const database = createDatabase(url, {
    poolSize: 1,
    statementTimeout_ms: 600_000,
    keepsConnections: true,
    isReadOnly: !wanted.apply,
  });
  try {
    await followCatalogue(database).follow();
    if (wanted.apply) return (await rederiveAlone(database, () => apply(database, wanted, print))) ?? false;
    await lookAt(database, wanted, print);
    return true;
  } finally {
    await database.close();
  }
}
