import { createHmac } from 'node:crypto';

/** What stands before a secret where it is shown. */
const prefix = 'whsec_';

export interface Message {
  /** The same for every attempt. */
  id: string;
  /** When this attempt is made, whole seconds since 1970. */
  timestampS: number;
  /** As it is sent, byte for byte. */
  body: string;
}

/**
 * The headers of a message by the Standard Webhooks specification, version 1: an HMAC-SHA256 over id, time and body.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signMessage(secret: string, { id, timestampS, body }: Message): Record<string, string> {
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': `v1,${signature}` };
}
