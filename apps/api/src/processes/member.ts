import { once } from 'node:events';
import type { Env } from '../env.ts';
import type { OpenedDatabase, Service } from '../service.ts';
import { isJoin, type ReadyMessage } from './messages.ts';

/** The first of several processes could not start; it has written why. */
export class StartFailure extends Error {}

/** Whether anybody can ask a service with these roles; a worker alone only measures. */
export const isAnswering = ({ ROLES }: Pick<Env, 'ROLES'>) => ROLES.some((role) => role !== 'worker');

/** Waits for the first process to say which database it opened. */
export async function untilJoined(): Promise<OpenedDatabase | null> {
  for (;;) {
    const [message] = await once(process, 'message');
    if (isJoin(message)) return message.database;
  }
}

/** Tells the first process that this one answers. */
export function sayReady({ url, adminKey }: Service): void {
  process.send?.({ type: 'inferboard:ready', url: url ?? '', adminKey } satisfies ReadyMessage);
}
