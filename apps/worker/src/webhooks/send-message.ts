import { withinTarget } from '@inferboard/db/runs/target-budget';
import type { ClaimedDelivery } from '@inferboard/db/runs/webhook-delivery';
import { exchange } from '@inferboard/outbound/exchange';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { pinTarget } from '@inferboard/outbound/pin-target';
import type { Lookup } from '@inferboard/outbound/resolve-target';
import { open } from '@inferboard/outbound/sealed-secrets';
import type { WorkerDeps } from '../deps.ts';
import { signMessage } from './sign-message.ts';

/** The outcome of an attempt. */
export interface Attempt {
  /** `over`: permanent failure. `stopped`: aborted by the worker; the receiver may have received the message. */
  kind: 'taken' | 'failed' | 'over' | 'stopped';
  /** A short result for the owner. */
  outcome: string;
  /** Details for the operator's log only. */
  detail: string | null;
}

const headerBytesMax = 16_384;
/** Maximum bytes to read from a response body, which is discarded. */
const bodyBytesMax = 65_536;

/**
 * Reads the body to the end, so that the receiver sees its response accepted. Ignores bodies that are too long, too slow or
 * truncated.
 */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
  }
}

function judge(status: number): Attempt {
  const kind = status >= 200 && status < 300 ? 'taken' : status === 410 ? 'over' : 'failed';
  return { kind, outcome: `answers ${status}`, detail: null };
}

function openSecret({ keyring }: WorkerDeps, { webhookId: id, secret }: ClaimedDelivery): string | null {
  if (keyring === null || secret === null) return null;
  try {
    return open(keyring, { table: 'webhooks', id }, secret);
  } catch {
    return null;
  }
}

const refusedWords = {
  spent: 'not sent: the daily request limit of the server is reached',
  busy: 'not sent: the concurrency limit of the server is reached',
} as const;

/** Sends a test message within the shared limits of an unverified server, because anyone can send tests to any address. */
async function sendTest(
  { database, outbound }: WorkerDeps,
  url: string,
  signal: AbortSignal,
  send: (lookup: Lookup) => Promise<Attempt>,
): Promise<Attempt> {
  const { names, lookup } = await pinTarget(url, outbound, { signal });
  const asked = await withinTarget(database.db, names, () => send(lookup));
  if (!('refused' in asked)) return asked.answer;
  return { kind: asked.refused === 'busy' ? 'failed' : 'over', outcome: refusedWords[asked.refused], detail: null };
}

/**
 * Sends a signed message once to the webhook's address, if the policy allows it. Redirects are not followed, and only the
 * status of the response counts.
 */
export async function sendMessage(
  deps: WorkerDeps,
  delivery: ClaimedDelivery,
  { signal, timeout_ms }: { signal: AbortSignal; timeout_ms: number },
): Promise<Attempt> {
  if (delivery.secret === null) return { kind: 'over', outcome: 'webhook removed', detail: null };
  const secret = openSecret(deps, delivery);
  if (secret === null) return { kind: 'failed', outcome: 'secret unreadable', detail: 'was SECRET_KEY changed?' };
  const { type, timestamp, data } = delivery.body;
  const body = JSON.stringify({ type, timestamp, data });
  const timestampS = Math.floor(Date.now() / 1000);
  const headers = { 'content-type': 'application/json', ...signMessage(secret, { id: delivery.id, timestampS, body }) };
  const limits = { timeout_ms, headerBytesMax, bodyBytesMax };
  const options = { method: 'POST', headers, body, limits, signal } as const;
  const send = (more: { lookup?: Lookup }) =>
    exchange(delivery.url, { ...options, ...more }, deps.outbound, async (head) => {
      await drain(head.body);
      return judge(head.status);
    });
  try {
    if (type !== 'ping') return await send({});
    return await sendTest(deps, delivery.url, signal, (lookup) => send({ lookup }));
  } catch (error) {
    if (!(error instanceof OutboundFailure || error instanceof OutboundRefusal)) throw error;
    return { kind: signal.aborted ? 'stopped' : 'failed', outcome: error.words, detail: error.detail || error.message };
  }
}
