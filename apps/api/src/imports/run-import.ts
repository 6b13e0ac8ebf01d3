import { DomainError } from '@inferboard/core/errors';
import pLimit from 'p-limit';
import { ensureAccount } from '../startup/bootstrap.ts';
import { type SubmitDeps, submitReport } from '../submissions/actions/submit-report.ts';
import { readArtifactBytes } from '../submissions/actions/unpack-artifact.ts';
import type { ImportItem, Publication } from './import-item.ts';

/** The outcome for a file. */
export interface Imported {
  name: string;
  outcome: 'stored' | 'known' | 'would_store' | 'refused';
  /** Number of results. */
  results: number;
  /** Number of results that wait for an admin. */
  held: number;
  /** Why the file was refused or its results are held. */
  reasons: string[];
}

/** Called after each file. */
export type WhileImporting = (done: number, total: number, last: Imported) => void;

/** Concurrent uploads. The group commit stores uploads that arrive at the same time together. */
const atOnce = 8;

function refusal(name: string, error: unknown): Imported {
  if (!(error instanceof DomainError)) throw error;
  const faults = error.faults.length === 0 ? [error.message] : error.faults.map(({ message }) => message);
  return { name, outcome: 'refused', results: 0, held: 0, reasons: [...new Set(faults)].slice(0, 5) };
}

/** Parses a file like an import and stores nothing. */
async function dryRunItem({ name, bytes, parameters }: ImportItem): Promise<Imported> {
  try {
    const { results } = await readArtifactBytes(bytes, parameters, { isImported: true });
    const held = results.filter(({ status }) => status !== 'accepted');
    const violations = held.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'violation'));
    const doubts = violations.length > 0 || held.length === 0 ? violations : held.flatMap(({ findings }) => findings);
    const reasons = [
      ...new Set(
        doubts.filter(({ severity }) => severity !== 'unchecked' && severity !== 'info').map(({ message }) => message),
      ),
    ];
    return { name, outcome: 'would_store', results: results.length, held: held.length, reasons: reasons.slice(0, 5) };
  } catch (error) {
    return refusal(name, error);
  }
}

interface StoredAnswer {
  result_count: number;
  summary: { statuses: Record<string, number> } | null;
  results: { status: string }[] | null;
}

function toImported(name: string, outcome: 'created' | 'duplicate' | 'dry_run', body: string | Uint8Array): Imported {
  const answer = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8')) as StoredAnswer;
  const accepted =
    answer.summary?.statuses.accepted ?? answer.results?.filter(({ status }) => status === 'accepted').length;
  const held = answer.result_count - (accepted ?? 0);
  return {
    name,
    outcome: outcome === 'duplicate' ? 'known' : 'stored',
    results: answer.result_count,
    held,
    reasons: [],
  };
}

/**
 * Submits the files of a publication with its account, like any submission. Files already submitted are detected by their bytes,
 * so that a repeated or interrupted import adds only the missing ones. Without `deps` nothing is stored.
 */
export async function runImport(
  publication: Publication,
  deps: SubmitDeps | null,
  whileImporting: WhileImporting = () => {},
): Promise<Imported[]> {
  const { account, items } = publication;
  const accountId = deps === null ? '' : await ensureAccount(deps.database.db, account);
  const principal = { accountId, accountName: account, keyId: '', scopes: [] };
  const limit = pLimit(deps === null ? 1 : atOnce);
  let done = 0;
  const importOne = async (item: ImportItem): Promise<Imported> => {
    if (deps === null) return dryRunItem(item);
    const upload = { bytes: item.bytes, parameters: item.parameters, dryRun: false, isFull: false, isImported: true };
    try {
      const { outcome, body } = await submitReport(deps, principal, upload);
      return toImported(item.name, outcome, body);
    } catch (error) {
      return refusal(item.name, error);
    }
  };
  return Promise.all(
    items.map((item) =>
      limit(async () => {
        const imported = await importOne(item);
        done += 1;
        whileImporting(done, items.length, imported);
        return imported;
      }),
    ),
  );
}
