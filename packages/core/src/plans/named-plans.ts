import { scenarios } from '../catalogue/records.ts';
import { findNamedScenario } from '../catalogue/scenario-names.ts';
import type { KnownLoad, LoadMode } from '../subjects/load.ts';
import type { Scenario } from '../subjects/scenario.ts';
import { planItem } from './items.ts';
import type { PlanItem } from './point.ts';

export interface NamedPlan {
  id: string;
  title: string;
  description: string;
  /** Default repetitions of every point: three, like the published results. */
  repetitions: number;
  items(): PlanItem[];
}

function scenarioOf(id: string): Scenario {
  const row = findNamedScenario(id);
  if (row === null) throw new Error(`a plan names the scenario ${id}, which the catalogue lacks`);
  const { inputTokens, outputTokens, dataset } = row;
  return { id, inputTokens, outputTokens, dataset, depth: null, kernel: null };
}

const loads = (mode: LoadMode, levels: readonly number[]): KnownLoad[] => levels.map((level) => ({ mode, level }));

const crossed = (ids: readonly string[], of: readonly KnownLoad[]): PlanItem[] =>
  ids.flatMap((id) => of.map((load) => planItem(scenarioOf(id), load)));

const inferenceReport: NamedPlan = {
  id: 'inference-report',
  title: 'Inference report',
  description:
    'Four contexts of 1K to 32K tokens with responses of 256 tokens: 1 to 32 users at a time, and 1 to 256 requests at once.',
  repetitions: 3,
  items: () =>
    crossed(
      ['chatbot', 'rag', 'agentic', 'tool-calling'],
      [...loads('concurrency', [1, 2, 4, 8, 16, 32]), ...loads('burst', [1, 2, 4, 8, 16, 32, 64, 128, 256])],
    ),
};

const servingGrid: NamedPlan = {
  id: 'serving-grid',
  title: 'Serving grid',
  description:
    'Six synthetic and recorded data sets: 100 and 50 requests per second with Poisson arrivals, and one user.',
  repetitions: 3,
  items: () =>
    crossed(
      ['random-1500-250', 'random-4000-1000', 'random-1000-1000', 'sharegpt', 'edit-10k', 'numina-math'],
      [
        { mode: 'rate', level: 100, burstiness: 1 },
        { mode: 'rate', level: 50, burstiness: 1 },
        { mode: 'concurrency', level: 1 },
      ],
    ),
};

const batchGrid: NamedPlan = {
  id: 'batch-grid',
  title: 'Batch grid',
  description: 'The offline grid: each scenario with its batch sent at once.',
  repetitions: 3,
  items: () =>
    scenarios.flatMap(({ id, batch }) =>
      batch === null ? [] : [planItem(scenarioOf(id), { mode: 'batch', level: batch })],
    ),
};

/** The name of the plan that searches the highest load under latency limits. It chooses its points while it runs. */
export const capacityPlan = 'capacity';

/** The named plans with fixed points, in display order. */
export const namedPlans: readonly NamedPlan[] = [inferenceReport, servingGrid, batchGrid];

/** Returns the plan with a name; null if there is none. */
export function findPlan(id: string): NamedPlan | null {
  return namedPlans.find((plan) => plan.id === id) ?? null;
}
