import { createSocketTransport } from './socket-transport.ts';
import type { Clock, Target, Transport } from './transport.ts';

/**
 * Our own HTTP over TCP, undici's over TLS, which is loaded only then: it takes longer than all else that a thread loads.
 * Throws TypeError on a target that cannot be sent.
 */
export async function createTransport(target: Target, clock: Clock, isTls = target.connect.tls): Promise<Transport> {
  if (!isTls) return createSocketTransport(target, clock);
  const { createDispatchTransport } = await import('./dispatch-transport.ts');
  return createDispatchTransport(target, clock);
}
