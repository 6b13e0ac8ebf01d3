import { withinTarget } from '@inferboard/db/queries/target-budget';
import type { ClaimedDelivery } from '@inferboard/db/queries/webhook-delivery';
import { exchange } from '@inferboard/outbound/exchange';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { pinTarget } from '@inferboard/outbound/pin-target';
import type { Lookup } from '@inferboard/outbound/resolve-target';
import { open } from '@inferboard/outbound/sealed-secrets';
import type { WorkerDeps } from '../deps.ts';
import { signMessage } from './sign-message.ts';

/** What became of an attempt. */
export interface Attempt {
  /** `over`: no further attempt would change it. `stopped`: we gave up ourselves, and the receiver may have it or not. */
  kind: 'taken' | 'failed' | 'over' | 'stopped';
  /** In a few words, for the owner. */
  outcome: string;
  /** For the operator's log alone. */
  detail: string | null;
}

const headerBytesMax = 16_384;
/** Of an answer's body, which nobody looks at. */
const bodyBytesMax = 65_536;

/** Reads to the end, so that the receiver sees its answer taken; what is too long, late or broken off is let go. */
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
  spent: 'not sent: the server was asked as much as it may be today',
  busy: 'not sent: as many requests are under way at the server as may be',
} as const;

/**
 * Sends a test within what all accounts may ask of a server that is not proven to be theirs: anybody can send tests anywhere.
 */
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
 * Sends a message once, signed, to the address of its webhook if that may be called. A redirect is not followed, and of
 * the answer only the status counts.
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
