import type { Family } from './attack.ts';
import { budget } from './budget.ts';
import { copies } from './copies.ts';
import { lies } from './false-claims.ts';
import { keys } from './keys.ts';
import { names } from './names.ts';
import { repetitions } from './repetitions.ts';
import { replication } from './replication.ts';
import { sameRun } from './same-run.ts';
import { simulated } from './simulated.ts';
import { unpooled } from './unpooled.ts';

/** All kinds of attacks. */
export const families: Record<string, Family> = {
  ...{ lies, repetitions, copies, replication },
  'same-run': sameRun,
  ...{ unpooled, simulated, keys, budget, names },
};
