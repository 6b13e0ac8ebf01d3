import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import type { Database } from '@inferboard/db/client';
import {
  beginRederivation,
  countSubmissions,
  endRederivation,
  listSubmissionIds,
  noteProgress,
  type Progress,
  type Rederivation,
  rederiveAlone,
} from '@inferboard/db/re-derive/rederivation';
import { rederiveSubmission } from '@inferboard/db/re-derive/rederive-submission';
import { readStored } from '../actions/read-stored.ts';
import { createTally } from './rederivation-table.ts';

export interface Wanted {
  /** False: it is only told what would change. */
  apply: boolean;
  /** Only submissions of this tool; null: all. */
  tool: string | null;
  /** Only those after this id; where it is applied, it goes on by itself. */
  after: string;
  /** Of this program. */
  release: string;
  artifacts: ArtifactStore;
}

/** Submissions between two notes of how far it is. */
const batchSize = 100;

interface Pass extends Pick<Wanted, 'tool' | 'after' | 'artifacts'> {
  /** Null: only looked at. */
  into: Rederivation | null;
}

async function goThrough(
  { db }: Database,
  { tool, after, artifacts, into }: Pass,
  tell: (line: string) => void,
): Promise<void> {
  const total = await countSubmissions(db, tool, after);
  const tally = createTally();
  let [done, changed, unreadable] = [0, 0, 0];
  for (let reached = after; ; ) {
    const ids = await listSubmissionIds(db, { tool, after: reached, limit: batchSize });
    const last = ids.at(-1);
    if (last === undefined) break;
    const batch: Progress = { reached: last, read: ids.length, changed: 0, unreadable: 0 };
    for (const id of ids) {
      const outcome = await rederiveSubmission(db, id, { read: readStored, artifacts, pass: into });
      if (outcome.kind === 'changed') {
        batch.changed += 1;
        tally.add(id, outcome.results);
      } else if (outcome.kind === 'unreadable') {
        batch.unreadable += 1;
        tally.addUnreadable(id, outcome.reason);
      }
    }
    if (into !== null) await noteProgress(db, into.id, batch);
    reached = last;
    done += ids.length;
    changed += batch.changed;
    unreadable += batch.unreadable;
    tell(`${done} of ${total} submissions read, ${changed} ${into === null ? 'would change' : 'changed'}: ${last}`);
  }
  tell(`\n${tally.toText()}`);
  const left = unreadable === 0 ? '' : ` ${unreadable} cannot be read as they were, and stay as they are.`;
  if (into === null)
    tell(`\n${changed} of ${done} submissions would change.${left} Nothing was written: --apply writes it.`);
  else tell(`\n${changed} of ${done} submissions changed.${left} What was there before is kept (${into.id}).`);
}

/**
 * Reads all that is stored with this release and tells what becomes another, line by line; with `apply` it is put in
 * place. False, and nothing done, where another process applies at the moment.
 */
export async function rederiveStored(
  database: Database,
  { apply, tool, after, release, artifacts }: Wanted,
  tell: (line: string) => void,
): Promise<boolean> {
  if (!apply) {
    await goThrough(database, { tool, after, artifacts, into: null }, tell);
    return true;
  }
  const done = await rederiveAlone(database, async () => {
    const into = await beginRederivation(database.db, release, tool);
    if (into.reached !== '') tell(`Going on after ${into.reached}, where ${into.id} broke off.`);
    await goThrough(database, { tool, after: into.reached, artifacts, into }, tell);
    await endRederivation(database.db, into.id);
    return true;
  });
  return done ?? false;
}
