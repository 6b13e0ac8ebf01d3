import { Gauge, type Registry } from 'prom-client';
import type { Intake } from '../intake/intake.ts';

/** Metrics of the thread that parses large submissions. */
export function addIntake(registry: Registry, intake: Intake): void {
  new Gauge({
    name: 'inferboard_intake_waiting',
    help: 'Large submissions that are queued for the parser thread or being parsed.',
    registers: [registry],
    collect() {
      this.set(intake.waiting());
    },
  });
}
