import { findNamedScenario } from '../catalogue/scenario-names.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';
import type { ReportLoad, ReportPoint, ReportScenario, ReportStatistic } from '../report/types.ts';

// For tests. The figures that a published inference report states are from that report. All others are not measured; they
// were chosen to give the conclusions that the report states only in words.

export interface GridPoint {
  scenario: string;
  mode: 'concurrency' | 'burst';
  level: number;
  metrics: Partial<Record<MetricName, number>>;
}

type Rows = Record<string, { ttftMs: readonly number[]; userTokS: readonly number[] }>;

const closedLoop: Rows = {
  chatbot: { ttftMs: [211, 220, 240, 300, 420, 700], userTokS: [172.5, 150, 130, 110, 90, 70.6] },
  rag: { ttftMs: [260, 300, 380, 550, 900, 1500], userTokS: [170, 140, 115, 90, 65, 45] },
  agentic: { ttftMs: [520, 700, 1000, 1500, 2400, 3900], userTokS: [168, 120, 85, 55, 35, 22] },
  'tool-calling': { ttftMs: [900, 1200, 1700, 2600, 4100, 6180], userTokS: [165, 100, 60, 35, 21, 13.2] },
};

// 9774 tok/s of 256 users are 38.1797 each.
const bursts: Rows = {
  chatbot: {
    ttftMs: [189, 200, 230, 300, 420, 700, 1300, 2850, 8250],
    userTokS: [172.4, 150, 132, 112, 92, 72, 60, 48, 9774 / 256],
  },
  rag: { ttftMs: [230, 260, 330, 480, 800, 1300, 2200, 4700], userTokS: [169, 141, 116, 92, 66, 47, 33, 25.7] },
  agentic: { ttftMs: [500, 650, 950, 1500, 2600, 4600], userTokS: [167, 122, 88, 60, 42, 30] },
  'tool-calling': { ttftMs: [850, 1100, 1700, 2900, 4100], userTokS: [164, 104, 66, 42, 28] },
};

/** Gaps between tokens that the report states; the others are derived from the speed. */
const statedItlMs: Record<string, number> = {
  'concurrency chatbot 1': 5.8,
  'concurrency tool-calling 32': 75.8,
  'burst chatbot 1': 5.8,
  'burst rag 128': 38.9,
};

function pointsOf(mode: GridPoint['mode'], rows: Rows): GridPoint[] {
  return Object.entries(rows).flatMap(([scenario, { ttftMs, userTokS }]) =>
    ttftMs.map((ttft_ms_mean, index) => {
      const level = 2 ** index;
      const itl = statedItlMs[`${mode} ${scenario} ${level}`];
      const metrics = { ttft_ms_mean, user_tok_s: userTokS[index], ...(itl === undefined ? {} : { itl_ms_mean: itl }) };
      return { scenario, mode, level, metrics };
    }),
  );
}

/** Four scenarios, closed loops of 1 to 32 and bursts of 1 to 256. */
export const fullGrid: readonly GridPoint[] = [...pointsOf('concurrency', closedLoop), ...pointsOf('burst', bursts)];

/** A scenario of the catalogue, or a synthetic one. */
export function scenarioOf(id: string, over: Partial<ReportScenario> = {}): ReportScenario {
  const found = findNamedScenario(id);
  const { title = id, inputTokens = null, outputTokens = null, dataset = null } = found ?? {};
  return { id, title, inputTokens, outputTokens, dataset, depth: null, ...over };
}

const usualDefinition = (name: string): string | null => findMetric(name)?.family.definitions[0]?.id ?? null;

/** A statistic of one measurement by the usual formula, with overrides. */
export function statistic(metric: string, mean: number, over: Partial<ReportStatistic> = {}): ReportStatistic {
  return { n: 1, mean, ci95: null, definition: usualDefinition(metric), derived: false, ...over };
}

/** A point from means. */
export function pointOf(
  scenario: string | ReportScenario,
  [mode, level]: [ReportLoad['mode'], number | null],
  metrics: Partial<Record<MetricName, number | ReportStatistic>>,
): ReportPoint {
  const load: ReportLoad = { mode, level };
  return {
    scenario: typeof scenario === 'string' ? scenarioOf(scenario) : scenario,
    load,
    source: `results of ${mode} ${level}`,
    statistics: Object.fromEntries(
      Object.entries(metrics).map(([name, given]) => [
        name,
        typeof given === 'number' ? statistic(name, given) : given,
      ]),
    ),
  };
}

/** The grid as the service would store it: unmeasured gaps are derived from the speed, and marked as such. */
export const gridPoints: readonly ReportPoint[] = fullGrid.map(({ scenario, mode, level, metrics }) => {
  const { user_tok_s = Number.NaN, itl_ms_mean } = metrics;
  const itl =
    itl_ms_mean ?? statistic('itl_ms_mean', 1000 / user_tok_s, { definition: 'from_user_tok_s', derived: true });
  return pointOf(scenario, [mode, level], { ...metrics, itl_ms_mean: itl });
});
