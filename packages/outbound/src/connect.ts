import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeError, OutboundFailure } from './failures.ts';
import type { Policy } from './policy.ts';
import { recheckAddress, type Target, type TargetAddress } from './resolve-target.ts';

/** Timeout for one address if there are others to try. */
const attempt_ms = 5_000;

const wordsOf = (error: unknown): 'refused' | 'timed out' | 'no answer' => {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ETIMEDOUT' ? 'timed out' : 'no answer';
};

/** Settles when the socket emits `ready`, fails or is aborted. On failure, destroys the socket. */
async function untilReady(socket: Socket, ready: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const settled = Promise.withResolvers<void>();
  const abort = () => socket.destroy(signal.reason);
  // Stays attached for the socket's lifetime: an unhandled error event ends the process.
  socket.on('error', settled.reject);
  socket.once('close', () => settled.reject(new Error('closed while connecting')));
  socket.once(ready, () => settled.resolve());
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await settled.promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function openTcp(target: Target, to: TargetAddress, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: to.address, port: target.port, family: to.family, autoSelectFamily: false });
  try {
    await untilReady(socket, 'connect', signal);
  } catch (error) {
    if (error instanceof OutboundFailure) throw error;
    throw new OutboundFailure(wordsOf(error), `${target.host} at ${to.address}: ${describeError(error)}`);
  }
  return socket.setNoDelay(true);
}

async function openTls(target: Target, to: TargetAddress, signal: AbortSignal): Promise<Socket> {
  const tcp = await openTcp(target, to, signal);
  // Set explicitly, because otherwise an environment variable can disable verification.
  const rejectUnauthorized = true;
  const { servername } = target;
  const socket = connectTls({
    socket: tcp,
    host: target.host,
    servername,
    rejectUnauthorized,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await untilReady(socket, 'secureConnect', signal);
  } catch (error) {
    tcp.destroy();
    if (error instanceof OutboundFailure) throw error;
    throw new OutboundFailure('tls failed', `${target.host} at ${to.address}: ${describeError(error)}`);
  }
  return socket;
}

function attemptSignal(target: Target, to: TargetAddress, signal: AbortSignal): { signal: AbortSignal; clear(): void } {
  if (target.addresses.at(-1) === to) return { signal, clear: () => {} };
  const controller = new AbortController();
  const failure = new OutboundFailure(
    'timed out',
    `${target.host} at ${to.address}: no connection in ${attempt_ms} ms`,
  );
  const timer = setTimeout(() => controller.abort(failure), attempt_ms);
  return { signal: AbortSignal.any([signal, controller.signal]), clear: () => clearTimeout(timer) };
}

/**
 * Opens a connection to a checked address. Checks it again, because a caller may keep a target for several requests. Tries the
 * target's addresses in turn until one connects.
 *
 * @param signal aborted with an `OutboundFailure`, which is then thrown
 * @throws OutboundRefusal if an address is no longer allowed
 * @throws OutboundFailure of the last address tried
 */
export async function openConnection(target: Target, policy: Policy, signal: AbortSignal): Promise<Socket> {
  let last = new OutboundFailure('no answer', `${target.host}: no address to try`);
  for (const to of target.addresses) {
    recheckAddress(target, to, policy);
    const attempt = attemptSignal(target, to, signal);
    try {
      return await (target.tls ? openTls : openTcp)(target, to, attempt.signal);
    } catch (error) {
      if (!(error instanceof OutboundFailure) || signal.aborted) throw error;
      last = error;
    } finally {
      attempt.clear();
    }
  }
  throw last;
}
