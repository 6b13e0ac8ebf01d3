import type { Family } from './attack.ts';
import { copies } from './copies.ts';
import { lies } from './lies.ts';
import { repetitions } from './repetitions.ts';
import { replication } from './replication.ts';
import { sameRun } from './same-run.ts';
import { unpooled } from './unpooled.ts';

/** Every kind of attack. */
export const families: Record<string, Family> = { lies, repetitions, copies, replication, sameRun, unpooled };
