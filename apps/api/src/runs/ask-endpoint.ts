import { DomainError } from '@inferboard/core/errors';
import { type EndpointRow, readCredential, verifyEndpoint } from '@inferboard/db/runs/endpoint';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { type Answer, request } from '@inferboard/outbound/request';
import { open, SealError } from '@inferboard/outbound/sealed-secrets';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { askUnproven } from './ask-target.ts';
import { checkAddress } from './check-address.ts';

/** The path at which an origin serves its ownership tokens. */
export const proofPath = '/.well-known/inferboard-proof';

export const proofUrlOf = (baseUrl: string): string => `${new URL(baseUrl).origin}${proofPath}`;

/** The API's root URL: the given URL without a trailing slash, up to and including `/v1`. */
export function toBaseUrl(given: string, deps: Pick<Deps, 'outbound'>): string {
  const checked = checkAddress(given, '/base_url', deps);
  if (checked.path.includes('?')) {
    const message = 'The URL has a query, which cannot precede a path.';
    throw new DomainError('request_invalid', message, [
      { code: 'query_present', pointer: '/base_url', message, hint: 'Give the part before /v1.' },
    ]);
  }
  const path = checked.path.replace(/\/+$/, '');
  return `${checked.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`;
}

/**
 * The URL of a server's metrics. Only the origin of the endpoint is allowed, because a proof of control covers that origin.
 *
 * @throws DomainError `request_invalid`
 */
export function toMetricsUrl(given: string, baseUrl: string, deps: Pick<Deps, 'outbound'>): string {
  const pointer = '/metrics_url';
  const { origin, path } = checkAddress(given, pointer, deps);
  const own = checkAddress(baseUrl, '/base_url', deps).origin;
  if (origin === own) return `${origin}${path}`;
  const message = 'The metrics are not at the origin of the endpoint.';
  throw new DomainError('request_invalid', message, [
    { code: 'origin_differs', pointer, message, hint: `Give an address that begins with ${own}/.` },
  ]);
}

/** A server's response, or the reason why there is none. */
type Heard = Answer | 'no answer' | 'key not readable';

/**
 * Requests one URL of an endpoint's server, with its credential if `withKey`. The reason for a failure is only logged: otherwise
 * users could scan networks that only this service reaches.
 */
async function get(deps: Deps, endpoint: EndpointRow, url: string, withKey: boolean): Promise<Heard> {
  try {
    const { origin } = new URL(endpoint.baseUrl);
    const sealed = withKey ? await readCredential(deps.database.db, endpoint.id) : null;
    if (sealed !== null && deps.keyring === null) return 'key not readable';
    const key =
      sealed === null || deps.keyring === null
        ? null
        : open(deps.keyring, { table: 'endpoints', id: endpoint.id }, sealed);
    const options = {
      headers: { accept: 'application/json, text/plain' },
      ...(key !== null && { authorization: { origin, value: `Bearer ${key}` } }),
    };
    if (endpoint.verifiedBy !== null) return await request(url, options, deps.outbound);
    return await askUnproven(deps, url, (lookup) => request(url, { ...options, lookup }, deps.outbound));
  } catch (error) {
    if (error instanceof OutboundFailure || error instanceof OutboundRefusal) {
      deps.log('info', `endpoint ${endpoint.id}: ${error.detail || error.message}`);
      return 'no answer';
    }
    if (error instanceof SealError) return 'key not readable';
    throw error;
  }
}

/** The only information reported about the status of an external server. */
export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
type StatusClass = (typeof statusClasses)[number];

/** The class of a status; null for invalid numbers. */
const classOf = (status: number): StatusClass | null => statusClasses[Math.floor(status / 100) - 1] ?? null;

const ModelsSchema = z.object({ data: z.array(z.object({ id: z.unknown() })).max(10_000) });

/** Whether a server lists a model; null if the response is not a list of models. */
function readServes(bytes: Uint8Array, model: string): boolean | null {
  try {
    const { data } = ModelsSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return data.some(({ id }) => id === model);
  } catch {
    return null;
  }
}

/** The only results that a check reports about any server: never a name, a header or a byte of its response. */
export const checkProblems = [
  'no answer',
  ...statusClasses.filter((status) => status !== '2xx'),
  'not an OpenAI-compatible model list',
  'key not readable',
] as const;
type CheckProblem = (typeof checkProblems)[number];

interface Check {
  reachable: boolean;
  problem: CheckProblem | null;
  status: StatusClass | null;
  serves_model: boolean | null;
}

function judge(heard: Heard, model: string): Check {
  const nothing = { reachable: false, serves_model: null };
  if (typeof heard === 'string') return { ...nothing, status: null, problem: heard };
  const status = classOf(heard.status);
  if (status === null) return { ...nothing, status, problem: 'no answer' };
  if (status !== '2xx') return { ...nothing, status, problem: status };
  const serves_model = readServes(heard.bytes, model);
  if (serves_model === null) return { ...nothing, status, problem: 'not an OpenAI-compatible model list' };
  return { reachable: true, status, problem: null, serves_model };
}

/** Requests the list of models from an endpoint. Server failures are results, not errors. */
export async function checkEndpoint(deps: Deps, endpoint: EndpointRow): Promise<Check & { checked_at: string }> {
  const heard = await get(deps, endpoint, `${endpoint.baseUrl}/models`, true);
  return { ...judge(heard, endpoint.model), checked_at: new Date().toISOString() };
}

/**
 * Looks for the endpoint's token at its origin and records a success.
 *
 * @throws DomainError `endpoint_unproven` with what was found instead
 */
export async function proveEndpoint(deps: Deps, endpoint: EndpointRow): Promise<void> {
  const url = proofUrlOf(endpoint.baseUrl);
  // Without the credential: the owner of the origin can serve a public file.
  const answer = await get(deps, endpoint, url, false);
  const lines =
    typeof answer === 'string' ? [] : new TextDecoder().decode(answer.bytes.subarray(0, 65_536)).split(/\r?\n/);
  const isThere =
    typeof answer !== 'string' && answer.status === 200 && lines.some((line) => line.trim() === endpoint.proofToken);
  if (isThere) {
    await verifyEndpoint(deps.database.db, endpoint.id, 'proof');
    return;
  }
  const status = typeof answer === 'string' ? null : classOf(answer.status);
  const seen = status === null ? 'there was no response' : `the response was ${status} without the token`;
  throw new DomainError(
    'endpoint_unproven',
    `The token of this endpoint was not found at ${url}: ${seen}. Serve it there as text, on a separate line.`,
  );
}
