import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Early } from './answer-cache/early.ts';
import type { Env } from './env.ts';
import { lingerOnUnread, refuseMalformed, refuseRequest, requireHost } from './wire.ts';

export interface Listener {
  /** Where it listens: the port asked for, or the one found for 0. */
  port: number;
  /** Takes no more connections, lets answers under way leave for some seconds, and cuts what is left. */
  close(): Promise<void>;
}

interface ListenOptions {
  host: string;
  port: number;
  /** The setting that named the port. */
  setting?: string;
  /** Whether other processes of this service listen at the same port. The system gives each connection to one of them. */
  isShared?: boolean;
  /** Begins the links in refusals. */
  publicUrl: string;
  /** Answers what it can before the application; nothing where there is none. */
  early?: Early;
  /** True once the process is to stop: then every answer is the last on its connection. */
  isDraining(): boolean;
}

type Answer = Parameters<typeof getRequestListener>[0];

/** How long answers under way may take once no more connections are taken. */
const finish_ms = 8000;

/**
 * How long a connection may rest between two requests. Longer than the minute that load balancers keep theirs: whoever
 * closes first must be the one who writes requests, or some are written onto a connection that is just being closed.
 */
const rest_ms = 75_000;

/**
 * How long a request may take to arrive: its head, and all of it. 16 MiB in five minutes are 0.5 Mbit/s; a client that sends
 * a byte now and then holds its connection for no longer. Looked after every five seconds.
 */
const arrival = { headersTimeout: 20_000, requestTimeout: 300_000, connectionsCheckingInterval: 5000 };

/** The error of a listener, in one line if it is that the port is taken. */
export function portInUse(
  error: unknown,
  { setting, port, host }: Required<Pick<ListenOptions, 'setting' | 'port' | 'host'>>,
): unknown {
  const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isInUse ? new Error(`Cannot start: ${setting} ${port} on ${host} is in use by another program.`) : error;
}

/**
 * Waits for the port. The adapter's own server would answer unreadable requests with an empty body.
 *
 * @throws Error with one line if the port is taken
 */
export function listen(fetch: Answer, options: ListenOptions): Promise<Listener> {
  const { host, port, setting = 'PORT', isShared = false, publicUrl, early, isDraining } = options;
  const adapted = { hostname: host, errorHandler: refuseRequest(publicUrl), autoCleanupIncoming: false };
  const adapter = getRequestListener(fetch, adapted);
  const answer = requireHost((incoming, outgoing) => {
    const next = () => adapter(incoming, outgoing);
    return early === undefined ? next() : early(incoming, outgoing, next);
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
    server.once('error', (error) => reject(portInUse(error, { setting, port, host })));
    server.listen({ port, host, reusePort: isShared }, () =>
      resolve({ port: (server.address() as AddressInfo).port, close }),
    );
  });
}

/** Answers probes and whoever collects figures at a port of their own, where there is one. */
export async function listenForProbes(
  { PROBE_PORT: port }: Env,
  app: Hono,
  at: Omit<ListenOptions, 'port' | 'setting'>,
): Promise<Listener | null> {
  return port === undefined ? null : listen(app.fetch, { ...at, port, setting: 'PROBE_PORT' });
}
