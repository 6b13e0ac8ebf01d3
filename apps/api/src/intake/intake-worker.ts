import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase } from '@inferboard/db/client';
import { type CatalogueFollower, followCatalogue } from '@inferboard/db/follow-catalogue';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { answerHere } from '../actions/answer-submission.ts';
import { traceWork } from '../trace-work.ts';
import { carryError } from './carried-error.ts';
import { type IntakeReply, type IntakeSettings, type IntakeTask, tasksAtOnce } from './intake.ts';

const { databaseUrl, publicUrl, artifactStore, traces } = workerData as Required<IntakeSettings>;
const artifacts = createArtifactStore(artifactStore);
const tracing = traceWork(traces, 'inferboard');
const encoder = new TextEncoder();
let opened: { database: ReturnType<typeof createDatabase>; catalogue: CatalogueFollower } | null = null;

function open() {
  const database = createDatabase(databaseUrl, { poolSize: tasksAtOnce });
  return { database, catalogue: followCatalogue(database) };
}

/** Reads, checks and stores one upload. */
export default async function take({ job, parent }: IntakeTask): Promise<unknown> {
  try {
    opened ??= open();
    const { database, catalogue } = opened;
    await catalogue.follow();
    const { span } = await tracing;
    const answer = await span('intake', { parent }, () => answerHere({ database, artifacts, publicUrl }, job));
    // Ten thousand results are 38 MB of JSON: text would be copied on its way, and encoded then.
    const body = typeof answer.body === 'string' ? encoder.encode(answer.body) : answer.body;
    const reply: IntakeReply = { answer: { ...answer, body } };
    return move({ [transferableSymbol]: [body.buffer], [valueSymbol]: reply });
  } catch (error) {
    return { error: carryError(error) } satisfies IntakeReply;
  }
}
