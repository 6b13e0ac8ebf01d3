import type { PlanPoint } from '@inferboard/core/plans/point';
import { isHolding } from '@inferboard/core/submission/outcome';
import { type ReportedSystem, unfinishedReport } from '../points/native-report.ts';
import { splitParts } from '../records/split-parts.ts';
import { reasonAt } from './network/reason-of.ts';
import { reachFault, responseLimits_ms } from './network/response-limits.ts';
import { missingTls } from './network/scheme.ts';
import { foreignAdvice } from './network/status-advice.ts';
import { type SigningKey, signatureOf } from './stored-login.ts';
import { withOptions } from './words/fact-options.ts';

/** Facts that the service names as query parameters, and that are options of the command. */
const factNames = ['model', 'gpu', 'gpu_count', 'quantization', 'engine', 'engine_version', 'tensor_parallel'] as const;

/** The service refused records, or did not answer. */
export class SubmitError extends Error {}

interface Answer {
  status?: string;
  results?: { findings?: { code: string; severity: string; message: string }[] }[];
  links?: { page?: string; self?: string };
  claim?: { url: string; token: string };
  detail?: string;
  errors?: { message: string; hint?: string }[];
}

/** A response as JSON; null if it is something else, such as the page of a proxy. */
function toAnswer(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' ? answer : null;
  } catch {
    return null;
  }
}

export interface Service {
  address: string;
  /** Null to submit without an account, which a service may allow. */
  key: string | null;
  /** Why there is no key, and how to set one; null with a key. */
  noKey: string | null;
  /** Signs the records; null leaves them unsigned. */
  signing: SigningKey | null;
}

const unreachable = (url: URL, reason: string) => new SubmitError(`${url.origin} cannot be reached: ${reason}`);

async function post(
  { address, key, noKey, signing }: Service,
  query: Record<string, string>,
  text: string,
  claimToken: string | null = null,
): Promise<Answer> {
  const body = new TextEncoder().encode(text);
  const words = new URLSearchParams({ ...query, ...signatureOf(signing, body) });
  const url = new URL(`/v1/submissions?${words}`, address);
  const fail = (reason: string) => unreachable(url, reason);
  const fault = await missingTls(url);
  if (fault !== null) throw fail(fault);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(claimToken !== null && { 'claim-token': claimToken }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(responseLimits_ms.long),
  }).catch(async (error: unknown) => {
    throw fail(await reasonAt(url, error));
  });
  const received = await response.text().catch(async (error: unknown) => {
    throw fail(await reasonAt(url, error));
  });
  const answer = toAnswer(received);
  if (response.ok && answer !== null) return answer;
  if (response.status === 401 && noKey !== null) throw new SubmitError(`${url.origin} requires a key. ${noKey}`);
  const faults = (answer?.errors ?? []).map(
    ({ message, hint }) => `  ${withOptions([message, hint].join(' ').trim(), factNames)}`,
  );
  const returned = `${url.origin} returned ${response.ok ? 'text instead of JSON' : response.status}`;
  const detail = answer?.detail === undefined ? `. ${foreignAdvice(url, response)}` : `: ${answer.detail}`;
  throw new SubmitError([`${returned}${detail}`, ...faults].join('\n'));
}

/** One answer of a second, as no server in particular gives it. */
function trialOf(point: PlanPoint, system: ReportedSystem, hasTraffic: boolean): string {
  const report = unfinishedReport(point, system, hasTraffic);
  const [result] = report.results as object[];
  const request = { sent_s: 0, input_tokens: 64, output_tokens: 64, ttft_ms: 100, e2e_ms: 1000, error: null };
  return `${JSON.stringify({ ...report, results: [{ ...result, simulated: true, requests: [request] }] })}\n`;
}

/**
 * Asks the service whether it would take records of this system under this key: a dry run with a made-up answer, of which it
 * stores nothing.
 *
 * @throws SubmitError with the text of the response
 */
export async function checkService(
  service: Service,
  ...trial: [point: PlanPoint, system: ReportedSystem, hasTraffic: boolean]
): Promise<void> {
  const health = new URL('/healthz', service.address);
  const fault = await reachFault(health);
  if (fault !== null) throw unreachable(health, fault);
  await post(service, { dry_run: 'true' }, trialOf(...trial));
}

/** Why a stored submission is not on the boards; null if it needs no review. */
function heldWords({ status, results = [] }: Answer): string | null {
  if (status !== 'quarantined') return null;
  const findings = results.flatMap(({ findings: found = [] }) => found);
  const reasons = new Set(findings.filter(isHolding).map(({ message }) => message));
  return `Quarantined until an admin reviews it. ${[...reasons].join(' ')}`.trim();
}

/** What the service stored. */
export interface Stored {
  page: string;
  /** Why it is not on the boards; null if it needs no review. */
  held: string | null;
  /** The link with which an account can claim a submission without a key. */
  claim: string | null;
}

/**
 * Sends reports, one per line, in as few submissions as the service accepts, and returns the URL of each stored
 * submission. The same reports sent again are the same submissions.
 *
 * @throws SubmitError with the text of the response
 */
export async function submitReports(
  service: Service,
  reports: readonly string[],
  onStored: (stored: Stored) => void,
): Promise<{ shortened: number }> {
  const { parts, shortened } = splitParts(reports);
  // Without a key, the token of the first part keeps all parts in one account.
  let claimToken: string | null = null;
  for (const { text } of parts) {
    const answer = await post(service, {}, text, claimToken);
    const { links, claim } = answer;
    claimToken ??= claim?.token ?? null;
    onStored({
      page: links?.page ?? links?.self ?? service.address,
      held: heldWords(answer),
      claim: claim?.url ?? null,
    });
  }
  return { shortened };
}
