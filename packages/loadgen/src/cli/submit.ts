import { ServerError } from './reach-server.ts';

const timeout_ms = 120_000;

/**
 * Sends reports, one a line, to an Inferboard and answers the address of the submission.
 *
 * @throws ServerError with what it said
 */
export async function submitReports(address: string, key: string, reports: string): Promise<string> {
  const url = new URL('/v1/submissions', address);
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: reports,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
  }).catch((error: unknown) => {
    throw new ServerError(`${url.origin} cannot be reached: ${error instanceof Error ? error.message : error}`);
  });
  const answer = (await response.json().catch(() => null)) as {
    links?: { page?: string; self?: string };
    detail?: string;
    errors?: { message: string }[];
  } | null;
  const page = answer?.links?.page ?? answer?.links?.self;
  if (response.ok && page !== undefined) return page;
  const faults = (answer?.errors ?? []).map(({ message }) => `  ${message}`);
  throw new ServerError([`${url.origin} answers ${response.status}: ${answer?.detail ?? ''}`, ...faults].join('\n'));
}
