import type {
  Evidence,
  Figure,
  Report,
  ReportFinding,
  ReportPoint,
  ReportScenario,
  SafeQueue,
  Series,
} from '@inferboard/core/report/types';
import type { System } from '@inferboard/core/subjects/system';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import type { ScenarioRow, StoredStatistics, SystemRow } from '@inferboard/db/boards/lists/row-types';
import type { SystemPoint } from '@inferboard/db/catalogue/system-find';
import { viewPoint, viewSystem } from '../views.ts';

// Converts rows to the report's points, and the report to its public form.

function toScenario(row: ScenarioRow): ReportScenario {
  const { name: id, input_tokens: inputTokens, output_tokens: outputTokens, dataset, depth } = row;
  return { id, title: shapeTitle(id), inputTokens, outputTokens, dataset, depth };
}

/** The system properties from which its limits are computed. */
export function toSystem(row: SystemRow): System {
  return {
    model: { id: row.model_id, family: row.model_family, name: row.model_name },
    quantization: { id: row.quantization_id, name: row.quantization_name, recipe: row.quantization_recipe },
    gpu: { id: row.gpu_id, family: row.gpu_family, name: row.gpu_name },
    gpuCount: row.gpu_count,
    gpuPowerLimitW: row.gpu_power_limit_w,
    engine: { id: row.engine_id, name: row.engine_name, version: row.engine_version },
    parallelism: row.parallelism,
    features: row.features,
  };
}

const baseOf = (metric: string) => metric.replace(/_(mean|p\d+|min|max|sd)$/, '');

/**
 * The points of a report: accepted serving results, each metric with the preferred formula of its point (variant 0). Other
 * statuses and kinds are dropped.
 */
export function toReportPoints(points: readonly SystemPoint[], systemId: string, base: string): ReportPoint[] {
  const counted = points.filter(
    ({ point }) => point.kind === 'serving' && point.status === 'accepted' && point.variant === 0,
  );
  return counted.map((row) => {
    const { point, scenario } = row;
    const statistics = Object.entries(point.statistics).map(
      ([metric, { n, mean, ci95 }]: [string, StoredStatistics]) => {
        const definition = point.definitions[baseOf(metric)] ?? null;
        const derived = point.derived.some((name) => name === metric);
        return [metric, { n, mean, ci95, definition, derived }];
      },
    );
    return {
      scenario: toScenario(scenario),
      load: { mode: point.load_mode, level: point.load_level },
      statistics: Object.fromEntries(statistics),
      source: viewPoint(row, systemId, base).links.results,
    };
  });
}

function viewScenario({ id, title, inputTokens, outputTokens, dataset, depth }: ReportScenario) {
  return { id, title, input_tokens: inputTokens, output_tokens: outputTokens, dataset, depth };
}

function viewFigure({ metric, value, unit, n, ci95, definition, derived, scenario, load, source }: Figure) {
  return {
    metric,
    value,
    unit,
    n,
    ci95: ci95 === null ? null : ([ci95[0], ci95[1]] as [number, number]),
    definition,
    derived,
    scenario: viewScenario(scenario),
    load,
    links: { results: source },
  };
}

const orNull = (figure: Figure | null) => (figure === null ? null : viewFigure(figure));

function viewSeries(all: readonly Series[]) {
  return all.map(({ scenario, metric, unit, values }) => ({
    scenario: viewScenario(scenario),
    metric,
    unit,
    values: values.map(viewFigure),
  }));
}

function viewSafeQueue(queue: SafeQueue) {
  const { scenario, unit, limitS, statistic, answer, bound, text, n, definition, measured, isEvened, between } = queue;
  const [from, to] = between ?? [];
  return {
    scenario: viewScenario(scenario),
    unit,
    ttft_limit_s: limitS,
    statistic,
    answer,
    bound,
    text,
    n,
    definition,
    depths: measured.length,
    evened_out: isEvened,
    between:
      from === undefined || to === undefined
        ? null
        : ([viewFigure(from), viewFigure(to)] as [ReturnType<typeof viewFigure>, ReturnType<typeof viewFigure>]),
  };
}

const viewEvidence = (evidence: Evidence) => ({ ...viewFigure(evidence), text: evidence.text });

function viewFinding({ id, section, severity, sentence, evidence, thresholds, scenarios }: ReportFinding) {
  return {
    id,
    section,
    severity,
    sentence,
    evidence: evidence.map(viewEvidence),
    thresholds: thresholds.map((threshold) => threshold.id),
    scenarios: scenarios.map(viewScenario),
  };
}

function viewSections({ peak, burst, batch }: Report) {
  return {
    peak: peak && {
      levels: peak.levels,
      user_tok_s: viewSeries(peak.userTokS),
      itl_ms: viewSeries(peak.itlMs),
      ttft_ms: viewSeries(peak.ttftMs),
      scaling_efficiency: viewSeries(peak.scalingEfficiency),
      roofline_user_tok_s: viewSeries(peak.rooflineUserTokS),
      roofline_missing: peak.rooflineMissing,
    },
    burst: burst && {
      levels: burst.levels,
      ttft_ms: viewSeries(burst.ttftMs),
      itl_ms: viewSeries(burst.itlMs),
      user_tok_s: viewSeries(burst.userTokS),
      max_safe_queue: burst.maxSafeQueue.map(viewSafeQueue),
    },
    batch: batch && {
      levels: batch.levels,
      decode_tok_s: viewSeries(batch.decodeTokS),
      output_tok_s: viewSeries(batch.outputTokS),
      prefill_tok_s: viewSeries(batch.prefillTokS),
      scaling_efficiency: viewSeries(batch.scalingEfficiency),
    },
  };
}

export function viewReport(report: Report, row: SystemRow, base: string) {
  const { headline, leftOut, ttftLimitS } = report;
  const system = viewSystem(row, base);
  return {
    system,
    ttft_limit_s: ttftLimitS,
    headline: {
      peak_decode_speed: orNull(headline.peakDecodeSpeed),
      max_decode_throughput: orNull(headline.maxDecodeThroughput),
      max_output_throughput: orNull(headline.maxOutputThroughput),
      best_ttft: orNull(headline.bestTtft),
      max_safe_queue: headline.maxSafeQueue === null ? null : viewSafeQueue(headline.maxSafeQueue),
    },
    ...viewSections(report),
    unmeasured: report.unmeasured,
    ranges: report.ranges.map(({ low, high, ...rest }) => ({ ...rest, low: viewFigure(low), high: viewFigure(high) })),
    findings: report.findings.map(viewFinding),
    left_out: {
      rate: leftOut.rate,
      unspecified: leftOut.unspecified,
      beyond_levels: leftOut.beyondLevels,
      other_definition: leftOut.otherDefinition,
    },
    thresholds: report.thresholds,
    links: {
      self: `${system.links.self}/report?ttft_limit_s=${ttftLimitS}`,
      system: system.links.self,
      page: system.links.page,
    },
  };
}
