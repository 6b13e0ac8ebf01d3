import type { Sample } from '@inferboard/core/observed/engine-state';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import { type MetricsSource, pollMetrics, type Watch } from '@inferboard/loadgen/probe/poll-metrics';
import { ProbeError } from '@inferboard/loadgen/probe/probe-error';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { request } from '@inferboard/outbound/request';
import type { WorkerDeps } from '../deps.ts';
import type { ReachedEndpoint } from './reach-endpoint.ts';

/** Readings per second. */
const readingsHz = 2;
/** The metrics of many engines with many buckets have some hundred kilobytes. */
const limits = { timeout_ms: 2000, bodyBytesMax: 4 * 1024 * 1024 };

/** The server's metrics while a point is measured. */
export interface WatchedServer {
  readonly samples: readonly Sample[];
  /** Ends the readings. Returns what went wrong, in words for readers of the run; null if nothing did. */
  stop(): Promise<string | null>;
}

const nothing: WatchedServer = { samples: [], stop: async () => null };

const unproven: WatchedServer = {
  samples: [],
  stop: async () => "the server's metrics are read only after control of the endpoint is proven",
};

/** Requests go to the checked address of the endpoint. Hosts and addresses are only logged. */
function sourceOf(deps: WorkerDeps, id: string, url: string, reached: ReachedEndpoint): MetricsSource {
  const lookup = async () => [{ address: reached.server.connect.address }];
  const { authorization } = reached;
  return {
    name: "the server's metrics",
    read: async (signal) => {
      try {
        const options = { signal, limits, lookup, ...(authorization !== null && { authorization }) };
        const { status, bytes } = await request(url, options, deps.outbound);
        return { status, text: new TextDecoder().decode(bytes) };
      } catch (error) {
        if (error instanceof OutboundFailure || error instanceof OutboundRefusal) {
          deps.log('info', `endpoint ${id}: metrics: ${error.detail}`);
          throw new Error(error instanceof OutboundFailure ? error.words : error.code);
        }
        throw error;
      }
    },
  };
}

/**
 * Begins to read the server's metrics, if the endpoint has an address of them. A failure never ends the run. An unproven
 * endpoint is not read: its server may be asked few requests a day.
 */
export function watchServer(deps: WorkerDeps, endpoint: EndpointRow, reached: ReachedEndpoint): WatchedServer {
  const { id, metricsUrl, verifiedBy } = endpoint;
  if (metricsUrl === null) return nothing;
  if (verifiedBy === null) return unproven;
  const samples: Sample[] = [];
  const source = sourceOf(deps, id, metricsUrl, reached);
  // The point does not wait for the first reading.
  const watching: Promise<Watch | string> = pollMetrics(source, readingsHz, (sample) => samples.push(sample)).catch(
    (error: unknown) => {
      if (error instanceof ProbeError) return error.message.replace(/\.$/, '');
      deps.log('error', `endpoint ${id}: its metrics could not be read`, { error: String(error) });
      return "the server's metrics could not be read";
    },
  );
  return {
    samples,
    stop: async () => {
      const watch = await watching;
      if (typeof watch === 'string') return watch;
      await watch.stop();
      return watch.trouble();
    },
  };
}
