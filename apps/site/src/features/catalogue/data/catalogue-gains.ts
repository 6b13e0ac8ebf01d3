import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type RatioChart, ratioChart } from '../../../charts/overlay-ratios.ts';
import { seriesMark } from '../../../charts/palette.ts';
import type { Api, System } from '../../../lib/api.ts';
import { headlineMetrics, inSentence } from '../../../lib/metric-text.ts';
import { engineText, gpuText, quantizationText, scenarioText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { distinctNames } from '../../compare/data/compare-names.ts';
import { comparedMax, compareHref } from '../../compare/data/compare-query.ts';
import { type SpeedupText, speedupText } from '../../matrix/data/ranking-overview.ts';
import type { PublishedSource } from '../../system/data/published-source.ts';
import { distinctSources, type ListedSystem } from '../../system/data/system-sources.ts';
import {
  isBaseline,
  kinOf,
  type QuantizationVariants,
  readSpeedups,
  type Speedup,
  speedupOf,
} from './catalogue-speedups.ts';

/** Speedup of a format over the unquantized weights of the same model on the same GPU and engine. */
export interface GainView {
  metrics: Metric[];
  metric: Metric;
  chart: RatioChart | null;
  /** Whether the chart has only one system of each group. */
  isChartOfSome: boolean;
  groups: {
    title: string;
    baseline: string;
    columns: { id: string; title: string; sources: PublishedSource[] }[];
    /** The publications of the baseline. */
    sources: PublishedSource[];
    rows: { title: string; load: string; cells: (SpeedupText | null)[] }[];
    compareHref: string;
  }[];
}

/** The publications of systems from a list, because only lists return them. Entries are on the pages of the systems. */
const sourcesOf = (systems: readonly System[]): PublishedSource[] => {
  const all = systems.flatMap((system) => distinctSources((system as Partial<ListedSystem>).sources ?? []));
  return [...new Map(all.map((source) => [source.title, { ...source, entry: null }])).values()];
};

/** Maximum number of groups on a page, and of systems of a group; the board has the rest. */
const [groupsMax, systemsMax] = [8, 4];

const nameOf = ({ id, name }: { id: string | null; name: string }) => id ?? name;

/** Maximum number of pages of systems to read. */
const pagesMax = 5;

/** The systems of some formats, on several pages. */
async function readSystems(api: Api, quantization: string[]): Promise<System[]> {
  const systems: System[] = [];
  let cursor: string[] = [];
  for (let page = 0; page < pagesMax; page++) {
    const { data } = await api.listSystems({ quantization, limit: ['200'], ...(cursor.length > 0 && { cursor }) });
    systems.push(...((data?.data ?? []) as System[]));
    if (data?.next_cursor == null) break;
    cursor = [data.next_cursor];
  }
  return systems;
}

const placeOf = ({ model, gpu }: System) => JSON.stringify([nameOf(model), nameOf(gpu)]);

/** The models and GPUs of a format: those that were also measured unquantized are first, because few have a counterpart. */
export function placesByCounterpart(own: readonly System[], unquantized: readonly System[]): string[] {
  const counterparts = new Set(unquantized.map(placeOf));
  return [...new Set(own.map(placeOf))].toSorted((a, b) => Number(counterparts.has(b)) - Number(counterparts.has(a)));
}

/** Systems of a format, each with its unquantized counterpart. */
async function readKin(api: Api, quantization: string): Promise<QuantizationVariants[]> {
  const [systems, unquantized] = await Promise.all([
    readSystems(api, [quantization]),
    readSystems(api, ['bf16', 'fp16']),
  ]);
  const own = new Map(systems.map((system) => [system.id, system]));
  const kin = await Promise.all(
    placesByCounterpart(systems, unquantized)
      .slice(0, groupsMax)
      .map(async (key) => {
        const [model = '', gpu = ''] = JSON.parse(key) as string[];
        const { data: all } = await api.listSystems({ model: [model], gpu: [gpu], limit: ['200'] });
        return kinOf(all?.data ?? []);
      }),
  );
  const pairs = kin
    .flat()
    .filter(({ baseline }) => isBaseline(baseline))
    .flatMap(({ baseline, others }) => others.filter(({ id }) => own.has(id)).map((system) => ({ baseline, system })));
  const pointsOf = (system: System) => (system as Partial<ListedSystem>).point_count ?? 0;
  const most = [...Map.groupBy(pairs, ({ baseline }) => placeText(baseline)).values()].flatMap((list) =>
    list.toSorted((a, b) => pointsOf(b.system) - pointsOf(a.system)).slice(0, systemsMax),
  );
  return [...Map.groupBy(most, ({ baseline }) => baseline)].map(([baseline, list]) => ({
    ...{ baseline, others: list.map(({ system }) => system) },
  }));
}

function presentMetrics(speedups: readonly Speedup[]): Metric[] {
  const counts = new Map<string, number>();
  for (const { metric } of speedups) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  const weight = ({ name, family }: Metric) => (counts.get(name) ?? 0) + (family.direction === 'higher' ? 0.5 : 0);
  // Evaluations are excluded: they are not speeds.
  return headlineMetrics
    .filter(({ name, family }) => counts.has(name) && family.kind !== 'quality')
    .toSorted((a, b) => weight(b) - weight(a));
}

/** Metrics to open with, if systems have them. The lengths of responses differ between formats, so requests are not among them. */
const speedsFirst = ['decode_tok_s', 'output_tok_s_per_gpu', 'output_tok_s'];

/** The facts that the systems of a group share. */
const placeText = (system: System): string => {
  const { tensor } = system.parallelism;
  const split = tensor === null || tensor === system.gpu_count ? null : `tensor parallel ${tensor}`;
  return [systemTitle(system), gpuText(system), engineText(system), split].filter((part) => part !== null).join(', ');
};

/** The groups, each with its baselines. */
const placesOf = (kin: readonly QuantizationVariants[]) => [...Map.groupBy(kin, ({ baseline }) => placeText(baseline))];

const pointOf = ({ point }: Speedup) =>
  JSON.stringify([Object.values(point.scenario), point.load.mode, point.load.level]);

/** The speedups of a format; null if no comparable unquantized system of the same model and GPU was measured. */
export async function readGains(api: Api, quantization: string, asked: string | null): Promise<GainView | null> {
  const kin = await readKin(api, quantization);
  const filters: Parameter[] = [];
  const speedups = await readSpeedups(api, kin, filters);
  const metrics = presentMetrics(speedups);
  const [metric] = [asked, ...speedsFirst]
    .flatMap((name) => metrics.find((one) => one.name === name) ?? [])
    .concat(metrics);
  if (metric === undefined) return null;
  const chosen = speedups.filter((speedup) => speedup.metric === metric.name);
  const groups = placesOf(kin).flatMap(([title, list]) => {
    const ids = new Set(chosen.map(({ system }) => system.id));
    const others = list.flatMap(({ others: all }) => all).filter(({ id }) => ids.has(id));
    const of = chosen.filter(({ system }) => others.some(({ id }) => id === system.id));
    if (of.length === 0) return [];
    const baselines = list.map(({ baseline }) => baseline);
    const names = distinctNames(others);
    return [
      {
        title,
        baseline: [...new Set(baselines.flatMap((system) => quantizationText(system) ?? []))].join(' or '),
        sources: sourcesOf(baselines),
        columns: others.map((system, at) => ({ id: system.id, title: names[at] ?? '', sources: sourcesOf([system]) })),
        rows: [...Map.groupBy(of, pointOf).values()].flatMap((list) => {
          const [first] = list;
          if (first === undefined) return [];
          return [
            {
              title: scenarioText(first.point.scenario).title,
              load: formatLoad(first.point.load),
              cells: others.map(({ id }) => {
                const found = list.find(({ system }) => system.id === id);
                const value = found === undefined ? null : speedupOf(found);
                return value === null ? null : speedupText(value.value, value.interval);
              }),
            },
          ];
        }),
        compareHref: compareHref({
          ids: list.flatMap((one) => [one.baseline, ...one.others].map(({ id }) => id)).slice(0, comparedMax),
          metric: metric.name,
          filters: [],
        }),
      },
    ];
  });
  const drawn = drawnOf(kin, chosen);
  return { metrics, metric, chart: gainChart(metric, drawn), isChartOfSome: drawn.length < chosen.length, groups };
}

const systemsOf = (speedups: readonly Speedup[]): System[] => [
  ...new Map(speedups.map(({ system }) => [system.id, system])).values(),
];

/** Maximum number of systems in the chart, so that each has its own mark. */
const drawnMax = 8;

/** The speedups to draw: all of them, or with many systems those of the system of each group that has the most. */
function drawnOf(kin: readonly QuantizationVariants[], speedups: readonly Speedup[]): Speedup[] {
  if (systemsOf(speedups).length <= drawnMax) return [...speedups];
  return placesOf(kin).flatMap(([, list]) => {
    const others = list.flatMap(({ others: all }) => all);
    const ofSystems = others.map(({ id }) => speedups.filter(({ system }) => system.id === id));
    return ofSystems.toSorted((a, b) => b.length - a.length)[0] ?? [];
  });
}

const rowsMax = 16;

function gainChart(metric: Metric, speedups: readonly Speedup[]): RatioChart | null {
  const systems = systemsOf(speedups);
  const names = distinctNames(systems);
  const rows = [...Map.groupBy(speedups, pointOf).values()].flatMap((list) => {
    const [first] = list;
    const ratios = list.flatMap((speedup) => {
      const found = speedupOf(speedup);
      if (found === null) return [];
      const { text, interval } = speedupText(found.value, found.interval);
      const at = systems.findIndex(({ id }) => id === speedup.system.id);
      return [
        {
          ratio: found.value,
          interval: found.interval,
          text,
          name: `${names[at]}, ${interval ?? 'no interval'}`,
          mark: seriesMark(at),
          href: `/systems/${speedup.system.id}`,
        },
      ];
    });
    return first === undefined || ratios.length === 0
      ? []
      : [{ label: scenarioText(first.point.scenario).title, sub: formatLoad(first.point.load), ratios }];
  });
  if (rows.length === 0 || rows.length > rowsMax) return null;
  const legend = names.map((name, at) => ({ name, mark: seriesMark(at) }));
  return ratioChart(
    `Speed-up by ${inSentence(metric.title)}`,
    'Speed relative to the unquantized weights',
    rows,
    legend,
  );
}
