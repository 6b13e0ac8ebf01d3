import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { type CatalogueFollower, followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { traceWork } from '../metrics/trace-work.ts';
import { answerInThisThread } from '../submissions/actions/answer-submission.ts';
import { readTimelineInThisThread } from '../submissions/actions/read-timeline.ts';
import { carryError } from './carried-error.ts';
import { type IntakeReply, type IntakeSettings, type IntakeTask, type TimelineReply, tasksAtOnce } from './intake.ts';

const { databaseUrl, publicUrl, artifactStore, traces } = workerData as Required<IntakeSettings>;
const artifacts = createArtifactStore(artifactStore);
const tracing = traceWork(traces, 'inferboard');
const encoder = new TextEncoder();
let opened: { database: ReturnType<typeof createDatabase>; catalogue: CatalogueFollower } | null = null;

function open() {
  const database = createDatabase(databaseUrl, { poolSize: tasksAtOnce });
  return { database, catalogue: followCatalogue(database) };
}

/** Parses, checks and stores one upload. */
export default async function take({ job, parent }: IntakeTask): Promise<unknown> {
  try {
    opened ??= open();
    const { database, catalogue } = opened;
    await catalogue.follow();
    const { span } = await tracing;
    const answer = await span('intake', { parent }, () => answerInThisThread({ database, artifacts, publicUrl }, job));
    // Ten thousand results are 38 MB of JSON. Text would be copied between the threads and encoded afterwards.
    const body = typeof answer.body === 'string' ? encoder.encode(answer.body) : answer.body;
    const reply: IntakeReply = { answer: { ...answer, body } };
    return move({ [transferableSymbol]: [body.buffer], [valueSymbol]: reply });
  } catch (error) {
    return { error: carryError(error) } satisfies IntakeReply;
  }
}

/** Reads the timeline of an artifact. */
export async function readTimeline(bytes: Uint8Array): Promise<TimelineReply> {
  try {
    return { timeline: await readTimelineInThisThread(bytes) };
  } catch (error) {
    return { error: carryError(error) };
  }
}
