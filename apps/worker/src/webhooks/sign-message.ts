import { createHmac } from 'node:crypto';

/** Prefix of a displayed secret. */
const prefix = 'whsec_';

export interface Message {
  /** Equal for all attempts. */
  id: string;
  /** Time of this attempt in seconds since 1970. */
  timestampS: number;
  /** The exact body bytes to send. */
  body: string;
}

/**
 * Creates the headers of a message by the Standard Webhooks specification, version 1: an HMAC-SHA256 over id, timestamp and
 * body.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signMessage(secret: string, { id, timestampS, body }: Message): Record<string, string> {
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': `v1,${signature}` };
}
