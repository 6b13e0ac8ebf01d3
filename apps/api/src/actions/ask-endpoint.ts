import { DomainError } from '@inferboard/core/errors';
import { type EndpointRow, readCredential, verifyEndpoint } from '@inferboard/db/queries/endpoint';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { type Answer, request } from '@inferboard/outbound/request';
import { open, SealError } from '@inferboard/outbound/sealed-secrets';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { askUnproven } from './ask-target.ts';
import { checkAddress } from './check-address.ts';

/** Where an origin serves the tokens that prove who controls it. */
export const proofPath = '/.well-known/inferboard-proof';

export const proofUrlOf = (baseUrl: string): string => `${new URL(baseUrl).origin}${proofPath}`;

/** The API's root: what was given, without a slash at the end, up to and with `/v1`. */
export function toBaseUrl(given: string, deps: Pick<Deps, 'outbound'>): string {
  const checked = checkAddress(given, '/base_url', deps);
  if (checked.path.includes('?')) {
    const message = 'The address has a query, which has no place before a path.';
    throw new DomainError('request_invalid', message, [
      { code: 'query_present', pointer: '/base_url', message, hint: 'Give what stands before /v1.' },
    ]);
  }
  const path = checked.path.replace(/\/+$/, '');
  return `${checked.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`;
}

/** A server's answer, or why there is none. */
type Heard = Answer | 'no answer' | 'key not readable';

/**
 * Asks one address of an endpoint's server, with its credential where `withKey`. Why there is no answer goes to the log
 * alone: with it anybody could look around in networks that only we reach.
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

/** All that is told of the status of a stranger's server. */
export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
type StatusClass = (typeof statusClasses)[number];

/** The class of a status; null for numbers that are none. */
const classOf = (status: number): StatusClass | null => statusClasses[Math.floor(status / 100) - 1] ?? null;

const ModelsSchema = z.object({ data: z.array(z.object({ id: z.unknown() })).max(10_000) });

/** Whether a server lists a model; null where it sent no list of models. */
function readServes(bytes: Uint8Array, model: string): boolean | null {
  try {
    const { data } = ModelsSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return data.some(({ id }) => id === model);
  } catch {
    return null;
  }
}

/** What a check tells, whoever the server belongs to: never a name, a header or a byte of what it said. */
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

/** Asks an endpoint for its list of models. Whatever it does is an answer, not an error. */
export async function checkEndpoint(deps: Deps, endpoint: EndpointRow): Promise<Check & { checked_at: string }> {
  const heard = await get(deps, endpoint, `${endpoint.baseUrl}/models`, true);
  return { ...judge(heard, endpoint.model), checked_at: new Date().toISOString() };
}

/**
 * Looks for the endpoint's token at its origin and notes that it was there.
 *
 * @throws DomainError `endpoint_unproven` saying what was found instead
 */
export async function proveEndpoint(deps: Deps, endpoint: EndpointRow): Promise<void> {
  const url = proofUrlOf(endpoint.baseUrl);
  // Without the credential: whoever controls the origin can serve a file.
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
  const seen = status === null ? 'there was no answer' : `the answer was ${status} without the token`;
  throw new DomainError(
    'endpoint_unproven',
    `The token of this endpoint was looked for at ${url}, and ${seen}. Serve it there on a line of its own, as text.`,
  );
}
