import { parentPort, workerData } from 'node:worker_threads';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase } from '@inferboard/db/client';
import { answerHere } from '../actions/answer-submission.ts';
import { traceWork } from '../trace-work.ts';
import { carryError } from './carried-error.ts';
import type { IntakeReply, IntakeRequest, IntakeSettings } from './intake.ts';

const { databaseUrl, publicUrl, artifactStore, traces } = workerData as Required<IntakeSettings>;
if (parentPort === null) throw new Error('this is the inside of a thread');
const port = parentPort;
const database = createDatabase(databaseUrl, { poolSize: 4 });
const artifacts = createArtifactStore(artifactStore);
const tracing = traceWork(traces, 'inferboard');
const encoder = new TextEncoder();
const underWay = new Set<Promise<void>>();

async function replyTo({ id, job, parent }: Exclude<IntakeRequest, 'stop'>): Promise<void> {
  let reply: IntakeReply;
  const moved: ArrayBuffer[] = [];
  try {
    const { span } = await tracing;
    const answer = await span('intake', { parent }, () => answerHere({ database, artifacts, publicUrl }, job));
    // Ten thousand results are 38 MB of JSON: text would be copied on its way, and encoded then.
    const body = typeof answer.body === 'string' ? encoder.encode(answer.body) : answer.body;
    moved.push(body.buffer);
    reply = { id, answer: { ...answer, body } };
  } catch (error) {
    reply = { id, error: carryError(error) };
  }
  port.postMessage(reply, moved);
}

async function stop(): Promise<void> {
  await Promise.all(underWay);
  await database.close();
  await (await tracing).stop();
  port.close();
}

port.on('message', (request: IntakeRequest) => {
  if (request === 'stop') {
    void stop();
    return;
  }
  const work = replyTo(request).finally(() => underWay.delete(work));
  underWay.add(work);
});
