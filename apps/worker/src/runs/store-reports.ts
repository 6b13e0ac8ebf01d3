import { createHash } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import type { Parameters } from '@inferboard/core/submission/parameters';
import { type ReadSubmission, readSubmission } from '@inferboard/core/submission/read-submission';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { pack, unpack } from '@inferboard/db/copy/packing';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { clearReports, listReports } from '@inferboard/db/runs/run-progress';
import { insertSubmission } from '@inferboard/db/submissions/submission-insert';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from './run-failure.ts';

/** Maximum artifact size in bytes. A run with more records has several artifacts. */
const artifactBytesMax = 8 * 1024 * 1024;
const reportsAtOnce = 100;
/** Maximum number of reasons in a failure. */
const reasonsMax = 3;

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

interface Lines {
  ordinals: number[];
  bytes: Uint8Array;
}

/** The next reports of a run as lines of one artifact; null if all are stored. */
async function nextLines({ database }: WorkerDeps, runId: string): Promise<Lines | null> {
  const ordinals: number[] = [];
  const lines: Uint8Array[] = [];
  let size = 0;
  for (const { ordinal, report } of await listReports(database.db, runId, reportsAtOnce)) {
    const line = await unpack(report);
    if (lines.length > 0 && size + line.length > artifactBytesMax) break;
    ordinals.push(ordinal);
    lines.push(line);
    size += line.length;
  }
  return lines.length === 0 ? null : { ordinals, bytes: Buffer.concat(lines) };
}

type Missing = 'gpu' | 'quantization';
const missingFacts: readonly Missing[] = ['gpu', 'quantization'];

const missingIn = (error: DomainError) =>
  missingFacts.filter((fact) => error.faults.some(({ code }) => code === `${fact}_missing`));

/**
 * Reads reports as an upload. A fact that neither the endpoint nor its server states becomes `unspecified`, in the parameters.
 *
 * @throws RunFailure if the results are rejected
 */
function readReports(bytes: Uint8Array, parameters: Parameters = {}): { read: ReadSubmission; parameters: Parameters } {
  try {
    return { read: readSubmission(bytes, parameters, { mayAsk: false }), parameters };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const missing = missingIn(error).filter((fact) => parameters[fact] === undefined);
    if (missing.length > 0) {
      const unspecified = Object.fromEntries(missing.map((fact) => [fact, 'unspecified']));
      return readReports(bytes, { ...parameters, ...unspecified });
    }
    const reasons = [...new Set([error.message, ...error.faults.map(({ message }) => message)])].slice(0, reasonsMax);
    throw new RunFailure('results_rejected', `The results cannot be stored: ${reasons.join(' ')}`);
  }
}

/**
 * Stores a run's results as submissions of its account, through the same reader as uploads. Each point is stored once, even if
 * workers crash.
 *
 * @throws LeaseLostError
 * @throws RunFailure if results are rejected
 */
export async function storeReports(deps: WorkerDeps, run: ClaimedRun): Promise<void> {
  for (;;) {
    const next = await nextLines(deps, run.runId);
    if (next === null) return;
    const { ordinals, bytes } = next;
    const stored = await pack(bytes);
    await deps.catalogue.follow();
    const { read, parameters } = readReports(bytes);
    const { tool, mediaType, ignored } = read;
    const results = read.results.map((result) => ({ ...result, trust: 'managed' as const }));
    const digest = sha256(bytes);
    await insertSubmission(
      deps.database.db,
      {
        accountId: run.accountId,
        runId: run.runId,
        artifact: { sha256: digest, size: bytes.length, stored, mediaType },
        fingerprint: sha256(JSON.stringify([digest, run.runId])),
        tool,
        parameters,
        ignored,
        notes: null,
        sourceUrl: null,
        status: submissionStatus(results),
        results,
      },
      { stored: (tx) => clearReports(tx, run, ordinals) },
      deps.artifacts,
    );
  }
}
