import { resolveEngine } from '@inferboard/core/catalogue/index';
import { type EndpointRow, readCredential } from '@inferboard/db/runs/endpoint';
import { endpointOf, type ModelServer, prefixOf } from '@inferboard/loadgen/points/server';
import { dialectOfEngine } from '@inferboard/loadgen/prompts/dialects';
import { OutboundFailure, OutboundRefusal, type OwnerWords } from '@inferboard/outbound/failures';
import type { Authorization } from '@inferboard/outbound/headers';
import { countedNames } from '@inferboard/outbound/pin-target';
import { resolveTarget } from '@inferboard/outbound/resolve-target';
import { open } from '@inferboard/outbound/sealed-secrets';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from './run-failure.ts';

/** An endpoint with a checked address and an opened credential. */
export interface ReachedEndpoint {
  server: ModelServer;
  origin: string;
  /** The names under which requests to its server are counted. */
  names: readonly string[];
  authorization: Authorization | null;
}

/** @throws RunFailure if no available key opens it */
async function openCredential({ database, keyring }: WorkerDeps, id: string): Promise<string | null> {
  const sealed = await readCredential(database.db, id);
  if (sealed === null) return null;
  const message = 'The credential of the endpoint cannot be read: the operator changed the key that encrypts it.';
  if (keyring === null) throw new RunFailure('credential_unreadable', message);
  try {
    return open(keyring, { table: 'endpoints', id }, sealed);
  } catch {
    throw new RunFailure('credential_unreadable', message);
  }
}

const reasons: Record<OwnerWords, string> = {
  refused: 'it refused the connection',
  'timed out': 'it did not respond in time',
  'no answer': 'there was no response',
  'tls failed': 'the TLS connection failed',
  'too large': 'its response was too large',
  canceled: 'it was canceled',
};

/** Converts an error to a failure for readers of the run. Hosts and addresses go to the log only. */
export function failureOf(error: OutboundFailure | OutboundRefusal, deps: WorkerDeps, endpointId: string): RunFailure {
  deps.log('info', `endpoint ${endpointId}: ${error.detail}`);
  if (error instanceof OutboundRefusal)
    return new RunFailure('endpoint_refused', `Requests to the URL of the endpoint are not allowed (${error.code}).`);
  return new RunFailure('endpoint_unreachable', `The request to the endpoint failed: ${reasons[error.words]}.`, {
    isPassing: true,
  });
}

/**
 * Resolves and checks an endpoint's address, and opens its credential. Connections go to the checked address.
 *
 * @throws RunFailure
 */
export async function reachEndpoint(
  deps: WorkerDeps,
  endpoint: EndpointRow,
  signal: AbortSignal,
): Promise<ReachedEndpoint> {
  const { origin, pathname } = new URL(endpoint.baseUrl);
  const credential = await openCredential(deps, endpoint.id);
  const authorization = credential === null ? null : { origin, value: `Bearer ${credential}` };
  try {
    const { host, port, address, tls, servername } = await resolveTarget(endpoint.baseUrl, deps.outbound, { signal });
    const engine = endpoint.facts.engine;
    return {
      origin,
      names: countedNames(origin, { address, port }),
      authorization,
      server: {
        connect: { host, port, address, tls, ...(servername !== '' && { servername }) },
        prefix: prefixOf(pathname),
        headers: {
          'user-agent': deps.outbound.userAgent,
          ...(authorization !== null && { authorization: authorization.value }),
        },
        model: endpoint.model,
        endpoint: endpointOf(pathname) ?? 'chat',
        dialect: dialectOfEngine(engine === undefined ? null : resolveEngine(engine).id),
        forcing: 'ignore_eos',
      },
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OutboundFailure || error instanceof OutboundRefusal) throw failureOf(error, deps, endpoint.id);
    throw error;
  }
}
