import { findNamedScenario } from '../catalogue/scenario-names.ts';
import type { Scenario } from '../subjects/scenario.ts';

/** True if a source is a publication of MLPerf's open division: "MLPerf Inference v5.1, Open". */
export const isOpenDivisionTitle = (title: string): boolean => /^MLPerf\b.*\bOpen$/.test(title);

/** A result's facts about its division. */
export interface StatedDivision {
  features: Readonly<Record<string, string | number | boolean>>;
  /** Title of the publication; null if there is none. */
  title: string | null;
}

/**
 * The workload of an entry of MLPerf's open division, which may run another model than the benchmark's or change its
 * weights. MLPerf does not compare such entries with closed ones, so they have separate workloads. Any other result
 * keeps its workload.
 */
export function inDivision(scenario: Scenario, { features, title }: StatedDivision): Scenario {
  const isOpen = features.division === 'open' || (title !== null && isOpenDivisionTitle(title));
  const open = isOpen && scenario.dataset === scenario.id ? findNamedScenario(`${scenario.id}-open`) : null;
  return open === null ? scenario : { ...scenario, id: open.id, dataset: open.dataset };
}
