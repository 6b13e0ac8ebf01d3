import type { Definitions, Metrics } from '../adapters/adapter.ts';
import type { Subject } from '../subjects/subject.ts';
import type { Derivation } from './derivation.ts';
import { energy } from './energy.ts';
import { mbu } from './mbu.ts';
import { mfu } from './mfu.ts';
import { perGpu } from './per-gpu.ts';
import { scalingEfficiency } from './scaling-efficiency.ts';
import { smoothness } from './smoothness.ts';
import { userSpeed } from './user-speed.ts';

/** The registry of figures derived from a result and its neighbors in the artifact. */
export const derivations: readonly Derivation[] = [userSpeed, smoothness, perGpu, scalingEfficiency, energy, mbu, mfu];

/** Returns all figures that can be derived for a result and were not measured, with their definitions. */
export function deriveMetrics(subject: Subject): { derived: Metrics; definitions: Definitions } {
  const derived: Metrics = {};
  const definitions: Definitions = {};
  for (const derivation of derivations) {
    if (subject.result.metrics[derivation.metric] !== undefined) continue;
    const outcome = derivation.derive(subject);
    // Division by a value near zero does not give a figure.
    if (outcome === null || !Number.isFinite(outcome.value)) continue;
    derived[outcome.metric] = outcome.value;
    if (outcome.definition) definitions[outcome.definition.base] = outcome.definition.id;
  }
  return { derived, definitions };
}
