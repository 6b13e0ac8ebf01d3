import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { lingerOnUnread, refuseMalformed, refuseRequest, requireHost } from '../http/wire.ts';
import type { NodeMiddleware } from '../response-cache/serve-cached.ts';
import type { Env } from './env.ts';

export interface Listener {
  /** The listening port: the requested one, or the one chosen for 0. */
  port: number;
  /** Stops accepting connections, gives running responses some seconds, and closes the remaining connections. */
  close(): Promise<void>;
}

interface ListenOptions {
  host: string;
  port: number;
  /** The setting that contains the port. */
  setting?: string;
  /** Whether other processes of this service listen at the same port. The operating system distributes the connections. */
  isShared?: boolean;
  /** Base URL of the links in refusals. */
  publicUrl: string;
  /** Answers requests from the cache before the application, if set. */
  serveCached?: NodeMiddleware;
  /** True once the process is stopping: then each response closes its connection. */
  isDraining(): boolean;
}

type Answer = Parameters<typeof getRequestListener>[0];

/** Time for running responses after the listener closes. */
const finish_ms = 8000;

/**
 * Idle timeout of connections. It is longer than the 60 s that load balancers use: if the server closes first, requests can be
 * lost on a closing connection.
 */
const rest_ms = 75_000;

/**
 * Time limits for receiving the request head and the whole request. 16 MiB in five minutes are 0.5 Mbit/s. A client that sends
 * single bytes slowly cannot hold its connection longer. Checked every five seconds.
 */
const arrival = { headersTimeout: 20_000, requestTimeout: 300_000, connectionsCheckingInterval: 5000 };

/** Why a listener cannot use its address, by error code. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program.',
  EACCES: 'is not permitted for this user. Ports below 1024 often need privileges.',
  EADDRNOTAVAIL: 'cannot be used: no network interface of this machine has the address in HOST.',
  ENOTFOUND: 'cannot be used: the name in HOST cannot be resolved.',
  EAI_AGAIN: 'cannot be used: the name in HOST cannot be resolved at the moment.',
};

/** A listener's error, in one line if its cause is the address. */
export function faultOfListener(
  error: unknown,
  { setting, port, host }: Required<Pick<ListenOptions, 'setting' | 'port' | 'host'>>,
): unknown {
  const fault = error instanceof Error && 'code' in error ? listenFaults[String(error.code)] : undefined;
  return fault === undefined ? error : new Error(`Cannot start: ${setting} ${port} on ${host} ${fault}`);
}

/**
 * Starts to listen and waits until the port is open. The adapter's own server would respond to unreadable requests with an empty
 * body.
 *
 * @throws Error with one line if the address cannot be used
 */
export function listen(fetch: Answer, options: ListenOptions): Promise<Listener> {
  const { host, port, setting = 'PORT', isShared = false, publicUrl, serveCached, isDraining } = options;
  const adapted = { hostname: host, errorHandler: refuseRequest(publicUrl), autoCleanupIncoming: false };
  const adapter = getRequestListener(fetch, adapted);
  const answer = requireHost((incoming, outgoing) => {
    const next = () => adapter(incoming, outgoing);
    return serveCached === undefined ? next() : serveCached(incoming, outgoing, next);
  }, publicUrl);
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: rest_ms, ...arrival },
    (incoming, outgoing) => {
      if (isDraining()) outgoing.shouldKeepAlive = false;
      return answer(incoming, outgoing);
    },
  );
  refuseMalformed(server, publicUrl);
  lingerOnUnread(server);
  const close = () =>
    new Promise<void>((resolve) => {
      const impatient = setTimeout(() => server.closeAllConnections(), finish_ms);
      server.close(() => {
        clearTimeout(impatient);
        resolve();
      });
      server.closeIdleConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(faultOfListener(error, { setting, port, host })));
    server.listen({ port, host, reusePort: isShared }, () =>
      resolve({ port: (server.address() as AddressInfo).port, close }),
    );
  });
}

/** Serves probes and metrics on a separate port, if one is configured. */
export async function listenForProbes(
  { PROBE_PORT: port }: Env,
  app: Hono,
  at: Omit<ListenOptions, 'port' | 'setting'>,
): Promise<Listener | null> {
  return port === undefined ? null : listen(app.fetch, { ...at, port, setting: 'PROBE_PORT' });
}
