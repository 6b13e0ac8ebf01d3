import type { Fault } from './failures.ts';

/** Last labels that never resolve to the public internet: RFC 6761, 6762, 8375, 9476 and common unofficial ones. */
const reservedEndings = [
  'localhost',
  'local',
  'internal',
  'home.arpa',
  'localdomain',
  'lan',
  'home',
  'corp',
  'intranet',
  'private',
  'onion',
  'alt',
  'svc',
];

/** Names of cloud metadata services with public-looking suffixes. */
const metadataNames = [
  'metadata.goog',
  'metadata.google.com',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.cloud.ibm.com',
  'metadata.oraclecloud.com',
  'metadata.google.internal',
  'metadata.azure.internal',
  'instance-data.ec2.internal',
];

const endsWith = (name: string, ending: string): boolean => name === ending || name.endsWith(`.${ending}`);

/** Removes the trailing dot of an absolute name. Certificates and these rules use names without it. */
export function normalizeName(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** Faults of a host name, before a DNS lookup. Expects a normalized name in lower case. */
export function hostNameFaults(name: string): Fault[] {
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) {
    const hint = 'Use letters, digits and hyphens, at most 63 between two dots.';
    return [{ code: 'host_invalid', message: 'The host is not a valid name.', hint }];
  }
  if (metadataNames.some((metadata) => endsWith(name, metadata))) {
    const hint = 'Give the address of your own server.';
    return [{ code: 'host_metadata', message: `${name} is a cloud metadata service.`, hint }];
  }
  const instead = 'Give a public name, or an address in a network that the operator opened.';
  const ending = reservedEndings.find((reserved) => endsWith(name, reserved));
  if (ending !== undefined) {
    return [{ code: 'host_reserved', message: `Names that end in .${ending} are local.`, hint: instead }];
  }
  if (labels.length === 1) {
    return [{ code: 'host_single_label', message: `${name} is a name without a domain.`, hint: instead }];
  }
  return [];
}
