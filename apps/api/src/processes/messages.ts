import type { OpenedDatabase } from '../service.ts';

/** What the first process sends to each of those that answer, before anything else. */
export interface JoinMessage {
  type: 'inferboard:join';
  /** Null for a site apart, which has no database. */
  database: OpenedDatabase | null;
}

/** What one that answers sends once its port is open. */
export interface ReadyMessage {
  type: 'inferboard:ready';
  url: string;
  adminKey: string | null;
}

export const isJoin = (message: unknown): message is JoinMessage => typeOf(message) === 'inferboard:join';
export const isReady = (message: unknown): message is ReadyMessage => typeOf(message) === 'inferboard:ready';

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : null;
}
