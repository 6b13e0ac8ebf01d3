import type { MetricName } from '@inferboard/core/metrics/index';
import type { OverlayChart } from '../../../charts/overlay.ts';
import { limitsMin, powerCurve } from '../../../charts/power-curve.ts';
import type { Api, Entry, System } from '../../../lib/api.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import { hardwareText, quantizationText, scenarioText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { comparedMax, compareHref } from '../../compare/data/compare-query.ts';

/** One configuration at several power limits. */
export interface PowerGroup {
  title: string;
  quantization: string | null;
  hardware: string;
  charts: OverlayChart[];
  /** "Most tokens per joule at 300 W: 0.868 tok/J; at 600 W 7.1 % faster." */
  limits: string;
  compareHref: string;
  /** The boards of the curves. */
  sources: { label: string; path: string }[];
}

/** Metrics over the power limit: speed and tokens per joule. */
const curves: readonly MetricName[] = ['decode_tok_s', 'prefill_tok_s', 'output_tok_s', 'tok_per_joule'];

const nameOf = ({ id, name }: { id: string | null; name: string }) => id ?? name;

/** Filters that all power limits of a configuration share. */
function filtersFor({ model, gpu, quantization, engine }: System): Parameter[] {
  return [
    ['model', nameOf(model)],
    ['gpu', nameOf(gpu)],
    ['quantization', nameOf(quantization)],
    ['engine', nameOf(engine)],
  ];
}

const groupKey = (system: System) => JSON.stringify([filtersFor(system), system.gpu_count, system.engine.version]);

async function readGroup(
  api: Api,
  systems: readonly System[],
  filters: readonly Parameter[],
): Promise<PowerGroup | null> {
  const [first] = systems;
  if (first === undefined) return null;
  const ids = new Set(systems.map(({ id }) => id));
  const own = [...filtersFor(first), ...filters];
  const asked = await Promise.all(
    curves.map(async (name) => {
      const query = { ...toQuery(own), metric: [name], rows: ['scenario'], columns: ['system'] };
      const { data } = await api.getMatrix(query);
      const scenarios = (data?.rows.headings ?? [])
        .filter(
          (_, row) =>
            (data?.cells[row] ?? []).filter((cell) => cell !== null && ids.has(cell.system.id)).length >= limitsMin,
        )
        .map(({ id }) => id);
      const boards = await Promise.all(
        scenarios.map((scenario) =>
          api.getLeaderboard({ ...toQuery(own), scenario: [scenario], rank_by: [name], limit: ['200'] }),
        ),
      );
      const series = boards.flatMap(({ data: board }) => {
        const entries = (board?.data ?? []).filter(({ system }) => ids.has(system.id));
        const [entry] = entries;
        return entry === undefined || entries.length < limitsMin
          ? []
          : [{ name: scenarioText(entry.scenario).title, entries }];
      });
      const sources = scenarios.map((scenario) => ({
        label: `${metricOf(name)?.title ?? name} on ${scenario}`,
        path: toPath('/v1/leaderboard', [['scenario', scenario], ['rank_by', name], ...own]),
      }));
      return { name, series, sources };
    }),
  );
  const charts = asked.flatMap(({ name, series }) => {
    const metric = metricOf(name);
    return metric === null || series.length === 0 ? [] : [powerCurve(metric, series)];
  });
  if (charts.length === 0) return null;
  const watts = systems.map((system) => system.gpu_power_limit_w ?? 0).toSorted((a, b) => a - b);
  return {
    title: systemTitle(first),
    quantization: quantizationText(first),
    hardware: hardwareText({ ...first, gpu_power_limit_w: null }),
    charts,
    limits: [`${watts.length} power limits, ${watts[0]} to ${watts.at(-1)} W.`, bestText(asked)]
      .filter((part) => part !== '')
      .join(' '),
    compareHref: compareHref({
      ids: systems
        .toSorted((a, b) => (b.gpu_power_limit_w ?? 0) - (a.gpu_power_limit_w ?? 0))
        .slice(0, comparedMax)
        .map(({ id }) => id),
      metric: null,
      filters: [],
    }),
    sources: asked.flatMap(({ sources }) => sources),
  };
}

/** The power limit with the most tokens per joule, in words; empty without such values. */
function bestText(
  asked: readonly { name: MetricName; series: readonly { name: string; entries: readonly Entry[] }[] }[],
): string {
  const joules = asked.find(({ name }) => name === 'tok_per_joule')?.series[0];
  const best = joules?.entries.toSorted((a, b) => b.value - a.value)[0];
  if (best === undefined || joules === undefined) return '';
  return `Most tokens per joule: ${joules.name} at ${best.system.gpu_power_limit_w} W.`;
}

/** Power-limit curves of all configurations that were measured at several limits. */
export async function readPowerGroups(api: Api, filters: readonly Parameter[]): Promise<PowerGroup[]> {
  // Only systems with a power limit, because a list has a maximum length.
  const { data } = await api.listSystems({ ...toQuery(filters), min_gpu_power_limit_w: ['1'], limit: ['200'] });
  const groups = [...Map.groupBy(data?.data ?? [], groupKey).values()].filter(
    (group) => new Set(group.map(({ gpu_power_limit_w }) => gpu_power_limit_w)).size >= limitsMin,
  );
  const read = await Promise.all(groups.map((group) => readGroup(api, group, filters)));
  return read.filter((group) => group !== null);
}
