import { DomainError } from '@inferboard/core/errors';
import { NameSchema } from '@inferboard/core/text';
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

/** Asks one address of an endpoint's server, with its credential where `withKey`; or three words for why it did not answer. */
async function get(deps: Deps, endpoint: EndpointRow, url: string, withKey: boolean): Promise<Answer | string> {
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
    if (error instanceof OutboundFailure) {
      deps.log('info', `endpoint ${endpoint.id}: ${error.detail}`);
      return error.words;
    }
    if (error instanceof OutboundRefusal) {
      deps.log('info', `endpoint ${endpoint.id}: ${error.detail}`);
      return 'not allowed';
    }
    if (error instanceof SealError) return 'key not readable';
    throw error;
  }
}

const ModelsSchema = z.object({ data: z.array(z.unknown()).max(10_000) });
const ModelSchema = z.object({ id: NameSchema });
const modelsMax = 100;

/** What a stranger's server says it serves; null where that is no list of models. */
function readModels(bytes: Uint8Array): string[] | null {
  try {
    const { data } = ModelsSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return data.flatMap((item) => {
      const model = ModelSchema.safeParse(item);
      return model.success ? [model.data.id] : [];
    });
  } catch {
    return null;
  }
}

/** Asks an endpoint which models it serves. Whatever it does is an answer, not an error. */
export async function checkEndpoint(deps: Deps, endpoint: EndpointRow) {
  const start = performance.now();
  const answer = await get(deps, endpoint, `${endpoint.baseUrl}/models`, true);
  const duration_ms = Math.round(performance.now() - start);
  const checked_at = new Date().toISOString();
  const nothing = { reachable: false, models: [], serves_model: null, duration_ms, checked_at };
  if (typeof answer === 'string') return { ...nothing, problem: answer, status: null };
  const models = answer.status === 200 ? readModels(answer.bytes) : null;
  const { status } = answer;
  if (models === null) return { ...nothing, problem: status === 200 ? 'no models' : `answers ${status}`, status };
  return {
    reachable: true,
    problem: null,
    status,
    models: models.slice(0, modelsMax),
    serves_model: models.includes(endpoint.model),
    duration_ms,
    checked_at,
  };
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
  const seen = typeof answer === 'string' ? `it said: ${answer}` : `it answers ${answer.status} without the token`;
  throw new DomainError(
    'endpoint_unproven',
    `The token of this endpoint was looked for at ${url}, and ${seen}. Serve it there on a line of its own, as text.`,
  );
}
