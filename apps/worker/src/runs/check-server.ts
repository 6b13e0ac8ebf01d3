import { resolveEngine } from '@inferboard/core/catalogue/index';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import { redact, secretsOf } from '@inferboard/loadgen/measure/records/redact';
import { detectServerApi } from '@inferboard/loadgen/points/detect-server-api';
import type { ReportedSystem } from '@inferboard/loadgen/points/native-report';
import type { ModelServer } from '@inferboard/loadgen/points/server';
import { completeEngine } from '@inferboard/loadgen/probe/complete-engine';
import type { Detected } from '@inferboard/loadgen/probe/detected';
import { type RequestDocument, readServerFacts } from '@inferboard/loadgen/probe/server-facts';
import { unlistedDoubts } from '@inferboard/loadgen/probe/unlisted-model';
import { dialectOfEngine } from '@inferboard/loadgen/prompts/dialects';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { request } from '@inferboard/outbound/request';
import type { WorkerDeps } from '../deps.ts';
import { type Asking, postTo } from './count-prompts.ts';
import type { ReachedEndpoint } from './reach-endpoint.ts';
import { RunFailure } from './run-failure.ts';

/** Maximum number of requests that check a server before its first load. Requests that count prompts are not among them. */
const checksMax = 5;
const limits = { timeout_ms: 3000, bodyBytesMax: 1024 * 1024 };

/** A server, and the facts that it reports of itself. */
export interface CheckedServer {
  /** Its notes include contradictions between reported and stated facts, such as a model that the server does not list. */
  server: ModelServer;
  /** The stated facts of the endpoint. A missing engine and version are those that the server reports. */
  system: ReportedSystem;
  detected: Detected;
}

function systemOf({ model, facts }: EndpointRow): ReportedSystem {
  return {
    model,
    quantization: facts.quantization ?? null,
    gpu: facts.gpu ?? null,
    gpuCount: facts.gpu_count ?? null,
    gpuPowerLimitW: facts.gpu_power_limit_w ?? null,
    engine: facts.engine ?? null,
    engineVersion: facts.engine_version ?? null,
    tensorParallel: facts.tensor_parallel ?? null,
  };
}

/** Requests documents at the checked address of an endpoint. A failure means that there is no document. */
function documentsOf(
  deps: WorkerDeps,
  { id }: EndpointRow,
  { server, origin, authorization }: ReachedEndpoint,
  { spend, signal }: Asking,
): RequestDocument {
  const lookup = async () => [{ address: server.connect.address }];
  return async (path) => {
    try {
      await spend();
      const options = { signal, limits, lookup, ...(authorization !== null && { authorization }) };
      const { status, bytes } = await request(`${origin}${server.prefix}${path}`, options, deps.outbound);
      return status === 200 ? redact(Buffer.from(bytes).toString(), secretsOf(server.headers)) : null;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OutboundFailure || error instanceof OutboundRefusal)
        deps.log('info', `endpoint ${id}: ${path}: ${error.detail}`);
      // A budget that is used up is reported by the requests that the run needs.
      else if (!(error instanceof RunFailure)) throw error;
      return null;
    }
  };
}

/**
 * Detects the API of an endpoint's server, and reads the facts that the server reports of itself, with five requests at most.
 *
 * @throws RunFailure if no response arrives
 */
export async function checkServer(
  deps: WorkerDeps,
  endpoint: EndpointRow,
  reached: ReachedEndpoint,
  asking: Asking,
): Promise<CheckedServer> {
  let left = checksMax;
  const post = postTo(deps, endpoint, reached, asking);
  const server = await detectServerApi(reached.server, null, async (path, body) => {
    left -= 1;
    const { status, bytes } = await post(path, body);
    return { status, text: Buffer.from(bytes).toString() };
  });
  const get = documentsOf(deps, endpoint, reached, asking);
  let listing: string | null = null;
  const read = async (path: string) => {
    const document = left-- > 0 ? await get(path) : null;
    if (path === '/v1/models') listing = document;
    return document;
  };
  const facts = await readServerFacts(read, endpoint.model);
  const unlisted = unlistedDoubts(listing, endpoint.model);
  const { system, doubts } = completeEngine(systemOf(endpoint), facts, (_, stated) => `the endpoint states ${stated}`);
  const dialect = system.engine === null ? server.dialect : dialectOfEngine(resolveEngine(system.engine).id);
  return {
    server: { ...server, dialect, notes: [...(server.notes ?? []), ...unlisted, ...doubts] },
    system,
    detected: {
      ...{ modelRevision: facts.modelRevision, containerImage: facts.containerImage },
      ...{ weightsSha256: null, gpuName: null, gpuCount: null, gpuDriver: null },
    },
  };
}
