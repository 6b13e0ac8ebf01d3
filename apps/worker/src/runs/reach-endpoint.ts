import { resolveEngine } from '@inferboard/core/catalogue/index';
import { type EndpointRow, readCredential } from '@inferboard/db/queries/endpoint';
import { endpointOf, type ModelServer, prefixOf } from '@inferboard/loadgen/points/server';
import { dialectOfEngine } from '@inferboard/loadgen/prompts/dialects';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import type { Authorization } from '@inferboard/outbound/headers';
import { countedNames } from '@inferboard/outbound/pin-target';
import { resolveTarget } from '@inferboard/outbound/resolve-target';
import { open } from '@inferboard/outbound/sealed-secrets';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from './run-failure.ts';

/** An endpoint whose address was checked and whose credential is at hand. */
export interface ReachedEndpoint {
  server: ModelServer;
  origin: string;
  /** The names under which requests to its server count. */
  names: readonly string[];
  authorization: Authorization | null;
}

/** @throws RunFailure where it cannot be opened with the keys at hand */
async function openCredential({ database, keyring }: WorkerDeps, id: string): Promise<string | null> {
  const sealed = await readCredential(database.db, id);
  if (sealed === null) return null;
  const message = 'The credential of the endpoint cannot be read: its operator changed the key it was kept under.';
  if (keyring === null) throw new RunFailure('credential_unreadable', message);
  try {
    return open(keyring, { table: 'endpoints', id }, sealed);
  } catch {
    throw new RunFailure('credential_unreadable', message);
  }
}

/** What stopped a request to an endpoint, for whoever sees the run: hosts and addresses are for the log alone. */
export function failureOf(error: OutboundFailure | OutboundRefusal, deps: WorkerDeps, endpointId: string): RunFailure {
  deps.log('info', `endpoint ${endpointId}: ${error.detail}`);
  if (error instanceof OutboundRefusal)
    return new RunFailure('endpoint_refused', `The address of the endpoint may not be called (${error.code}).`);
  return new RunFailure('endpoint_unreachable', `The endpoint was asked, and it said: ${error.words}.`, {
    isPassing: true,
  });
}

/**
 * Looks an endpoint's address up, checks it, and opens its credential. Connections go to the address that was checked.
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
