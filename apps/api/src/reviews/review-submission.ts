import { catalogueKey } from '@inferboard/core/catalogue/index';
import { DomainError, type Fault } from '@inferboard/core/errors';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import type { Parameters } from '@inferboard/core/submission/parameters';
import { type Mapping, mappableFacts, unknownName } from '@inferboard/core/submission/review';
import type { Principal } from '@inferboard/db/accounts/account';
import type { ResultRow, SubmissionRow } from '@inferboard/db/boards/lists/row-types';
import { insertReview, type ReviewChange } from '@inferboard/db/reviews/review-insert';
import { findArtifactOfSubmission } from '@inferboard/db/submissions/artifact-find';
import { listResultsBySubmission } from '@inferboard/db/submissions/result-list';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { faultsMax } from '../http/refuse.ts';
import type { Precondition } from '../middleware/preconditions.ts';
import { amendment } from '../submissions/actions/amendment.ts';
import { readArtifactBytes } from '../submissions/actions/unpack-artifact.ts';
import { findStored, viewStored } from '../submissions/actions/view-stored.ts';
import type { SubmissionView } from '../submissions/submission-views.ts';
import type { ReviewBody } from './review-schema.ts';

interface Held {
  submission: SubmissionRow;
  /** All results of the submission, in the order of the artifact. */
  results: ResultRow[];
  /** The results to review. */
  chosen: ResultRow[];
}

const invalid = (faults: Fault[]) =>
  new DomainError('request_invalid', 'The body is not valid.', faults.slice(0, faultsMax));

/** The quarantined results to review: the named ones, or all. */
function chooseResults(results: ResultRow[], named: string[] | undefined): ResultRow[] {
  const held = results.filter(({ status }) => status === 'quarantined');
  if (held.length === 0) throw new DomainError('nothing_to_review', 'No result of this submission is quarantined.');
  if (named === undefined) return held;
  const ours = new Map(results.map(({ id, status }) => [id, status]));
  const faults = named.flatMap((id, index): Fault[] => {
    if (ours.get(id) === 'quarantined') return [];
    const message = ours.has(id) ? `${id} is not quarantined.` : `"${id}" is not a result of this submission.`;
    const hint = 'Omit results to decide on all that are quarantined.';
    return [{ code: ours.has(id) ? 'not_quarantined' : 'not_found', pointer: `/results/${index}`, message, hint }];
  });
  if (faults.length > 0) throw invalid(faults);
  const wanted = new Set(named);
  return held.filter(({ id }) => wanted.has(id));
}

/** The unknown names of a stored result that a review may map. */
function unknownNames({ system }: ResultRow): Record<keyof Mapping, string | null> {
  return {
    gpu: unknownName({ id: system.gpu_id, name: system.gpu_name, family: system.gpu_family }),
    model: unknownName({ id: system.model_id, name: system.model_name, family: system.model_family }),
    quantization: unknownName({ id: system.quantization_id, name: system.quantization_name }),
    engine: unknownName({ id: system.engine_id, name: system.engine_name }),
  };
}

/** Builds the mapping of names. A review maps one name per fact, so that it cannot merge two names by mistake. */
function toMapping(chosen: readonly ResultRow[], body: ReviewBody): Mapping {
  const names = chosen.map(unknownNames);
  const mapping: Mapping = {};
  const faults: Fault[] = [];
  for (const fact of mappableFacts) {
    const to = body[fact];
    if (to === undefined) continue;
    const written = new Map(names.flatMap(({ [fact]: name }) => (name === null ? [] : [[catalogueKey(name), name]])));
    const [from, ...others] = written.values();
    const pointer = `/${fact}`;
    if (from === undefined) {
      const message = `No result under review has a ${fact} that is not in the catalogue.`;
      faults.push({ code: 'name_known', pointer, message, hint: `Omit ${fact}.` });
    } else if (others.length > 0) {
      const message = `The results under review have ${written.size} unknown ${fact} names: ${[from, ...others].slice(0, 5).join(', ')}.`;
      const hint = 'List the results of one of them in results.';
      faults.push({ code: 'names_differ', pointer, message, hint });
    } else mapping[fact] = { from, to };
  }
  if (faults.length > 0) throw invalid(faults);
  return mapping;
}

/** The part of a mapping that applies to this result; null if none does. */
function mappingOf(result: ResultRow, mapping: Mapping): Mapping | null {
  const names = unknownNames(result);
  const own = mappableFacts.filter((fact) => mapping[fact] !== undefined && names[fact] !== null);
  return own.length === 0 ? null : Object.fromEntries(own.map((fact) => [fact, mapping[fact]]));
}

const readsDifferently = (faults: Fault[] = []) =>
  new DomainError(
    'artifact_reads_differently',
    'The artifact now gives different results than when it was submitted, so its names cannot be mapped. It can be cleared.',
    faults,
  );

/** Parses all results of the artifact again, with the mapped names. */
async function readAgain(
  { database: { db }, artifacts }: Deps,
  { submission, results }: Held,
  amend: ReturnType<typeof amendment>,
): Promise<CheckedResult[]> {
  const artifact = await findArtifactOfSubmission(db, submission.id, artifacts);
  if (artifact === null) throw new Error(`the artifact of ${submission.id} does not exist`);
  // The stored parameters were validated by the schema, and JSON preserves them.
  const parameters = submission.parameters as Parameters;
  try {
    const { results: reread } = await readArtifactBytes(new Uint8Array(artifact.bytes), parameters, {
      amend,
      mayAsk: false,
      isImported: results.some(({ origin }) => origin === 'imported'),
    });
    const isSame = ({ lines }: CheckedResult, { line_from, line_to }: ResultRow) =>
      lines.from === line_from && lines.to === line_to;
    if (reread.length === results.length && results.every((row, at) => reread[at] && isSame(reread[at], row)))
      return reread;
  } catch (error) {
    if (error instanceof DomainError) throw readsDifferently(error.faults);
    throw error;
  }
  throw readsDifferently();
}

interface Plan {
  mapping: Mapping | null;
  results: string[];
  changes: ReviewChange[];
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

async function plan(deps: Deps, held: Held, body: ReviewBody): Promise<Plan> {
  const { submission, results, chosen } = held;
  if (body.decision === 'keep') return { mapping: null, results: idsOf(chosen), changes: [] };
  if (body.decision === 'clear') {
    const changes = chosen.map(({ id }) => ({ id, mapping: null, reread: null }));
    return { mapping: null, results: idsOf(chosen), changes };
  }
  const mapping = toMapping(chosen, body);
  const meant = chosen.filter((result) => mappingOf(result, mapping) !== null);
  const isMeant = new Set(idsOf(meant));
  const others = (body.results ?? []).flatMap((id, index): Fault[] =>
    isMeant.has(id)
      ? []
      : [{ code: 'name_known', pointer: `/results/${index}`, message: `${id} has no such unknown name.` }],
  );
  if (others.length > 0) throw invalid(others);
  const decided = { mapping, results: idsOf(meant) };
  const reread = await readAgain(deps, held, amendment(results, [...submission.reviews, decided]));
  const changes = meant.flatMap((row): ReviewChange[] => {
    const result = reread[row.ordinal];
    return result === undefined ? [] : [{ id: row.id, mapping: mappingOf(row, mapping), reread: result }];
  });
  return { ...decided, changes };
}

/**
 * Applies an admin's decision about held results. Accepted results join the boards. Mapped results are first checked against the
 * catalogue's limits and stay off the boards if they are implausible. The response exists only after the commit.
 *
 * @throws DomainError `not_found`, `submission_already_retracted`, `nothing_to_review`, `artifact_reads_differently`,
 *   `request_invalid` with all errors, and the errors of `precondition`
 */
export async function reviewSubmission(
  deps: Deps,
  principal: Principal,
  id: string,
  body: ReviewBody,
  { precondition, audit }: { precondition: Precondition; audit: Audit },
): Promise<SubmissionView | null> {
  const { db } = deps.database;
  for (;;) {
    const submission = await findSubmission(db, id);
    if (submission === null) return null;
    if (submission.status === 'retracted')
      throw new DomainError('submission_already_retracted', 'The submission is retracted and stays off the boards.');
    const results = await listResultsBySubmission(db, id);
    const chosen = chooseResults(results, body.results);
    // Runs after the rows are read and locked, so that no other review can come between.
    await precondition();
    const planned = await plan(deps, { submission, results, chosen }, body);
    const review = {
      submissionId: id,
      accountId: principal.accountId,
      decision: body.decision,
      note: body.note,
      reviewsBefore: submission.reviews.length,
      ...planned,
    };
    // A concurrent decision changed the rows: read them again.
    const detail = { decision: body.decision, results: planned.results.length };
    if (await insertReview(db, review, (tx) => audit(tx, id, detail)))
      return viewStored(deps, db, await findStored(db, id));
  }
}
