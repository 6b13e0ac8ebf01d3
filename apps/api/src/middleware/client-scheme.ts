import { createTrust, type Origin, peerOf } from './client-address.ts';

/** The scheme by which a client reached the first proxy; null where no proxy says. */
function schemeOf({ header }: Origin): string | null {
  const standard = /(?:^|[;,])\s*proto="?(\w+)/i.exec(header('forwarded') ?? '')?.[1];
  const [first] = (header('x-forwarded-proto') ?? '').split(',');
  return (standard ?? (first?.trim() || null))?.toLowerCase() ?? null;
}

/**
 * Finds out whether a request came by HTTPS: where the service is published so, or a trusted proxy says so. The first word
 * of a chain of proxies counts, which a client may have written: it would deceive nobody but itself.
 *
 * @param trustedProxies CIDR networks; none: the headers are not looked at
 * @param publicUrl base of the links that are handed out
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
