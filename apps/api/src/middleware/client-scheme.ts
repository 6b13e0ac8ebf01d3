import { createTrust, type Origin, peerOf } from './client-address.ts';

/** The scheme with which a client reached the first proxy; null if no proxy reports it. */
function schemeOf({ header }: Origin): string | null {
  const standard = /(?:^|[;,])\s*proto="?(\w+)/i.exec(header('forwarded') ?? '')?.[1];
  const [first] = (header('x-forwarded-proto') ?? '').split(',');
  return (standard ?? (first?.trim() || null))?.toLowerCase() ?? null;
}

/**
 * Checks whether a request used HTTPS: the public URL is HTTPS, or a trusted proxy reports it. The first entry of a proxy chain
 * counts. A client can forge it, which affects only that client.
 *
 * @param trustedProxies CIDR networks; if empty, the headers are ignored
 * @param publicUrl base URL of links in responses
 */
export function createSchemeReader({
  trustedProxies,
  publicUrl,
}: {
  trustedProxies: readonly string[];
  publicUrl: string;
}): (origin: Origin) => boolean {
  if (publicUrl.startsWith('https:')) return () => true;
  if (trustedProxies.length === 0) return () => false;
  const isTrusted = createTrust(trustedProxies);
  return (origin) => {
    const peer = peerOf(origin);
    return peer !== null && isTrusted(peer) && schemeOf(origin) === 'https';
  };
}
