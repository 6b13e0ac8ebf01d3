import { Gauge, type Registry } from 'prom-client';
import type { Intake } from './intake/intake.ts';

/** The thread that reads large submissions. */
export function addIntake(registry: Registry, intake: Intake): void {
  new Gauge({
    name: 'inferboard_intake_waiting',
    help: 'Large submissions that wait for the thread that reads them, or are read there.',
    registers: [registry],
    collect() {
      this.set(intake.waiting());
    },
  });
}
