import { askedFamilies, findFamily, metricFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import type { CatalogueItem } from './api.ts';
import { toCsv } from './catalogue-index.ts';

export interface GlossaryEntry {
  family: MetricFamily;
  /** Names that filters, files and columns use. */
  names: string[];
  direction: string;
  /** Metrics it can be computed from, as links on the page. */
  needs: { base: string; title: string }[];
}

const directions: Record<MetricFamily['direction'], string> = {
  lower: 'lower is better',
  higher: 'higher is better',
  neutral: 'neither way is better',
};

const titleOf = (base: string) => findFamily(base)?.title ?? base;

function toEntry(family: MetricFamily): GlossaryEntry {
  return {
    family,
    names:
      family.statistics === null ? [family.base] : family.statistics.map((statistic) => `${family.base}_${statistic}`),
    direction: directions[family.direction],
    needs: family.needs.map((base) => ({ base, title: titleOf(base) })),
  };
}

const kinds: readonly { id: string; title: string; has(family: MetricFamily): boolean }[] = [
  { id: 'latency', title: 'Latency', has: ({ kind, statistics }) => kind === 'serving' && statistics !== null },
  {
    id: 'throughput',
    title: 'Throughput and counts',
    has: ({ kind, statistics, derived }) => kind === 'serving' && statistics === null && !derived,
  },
  {
    id: 'efficiency',
    title: 'Computed from them',
    has: ({ kind, statistics, derived }) => kind === 'serving' && statistics === null && derived,
  },
  { id: 'kernels', title: 'Kernels', has: ({ kind }) => kind === 'kernel' },
  { id: 'training', title: 'Training', has: ({ kind }) => kind === 'training' },
  { id: 'quality', title: 'Quality', has: ({ kind }) => kind === 'quality' },
];

/** Every metric of the registry under a heading each, what only a caller's question makes included. */
export const glossaryGroups: readonly { id: string; title: string; entries: GlossaryEntry[] }[] = kinds.map(
  ({ id, title, has }) => ({
    id,
    title,
    entries: [...metricFamilies, ...askedFamilies].filter(has).map(toEntry),
  }),
);

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

const columns = [
  'unit',
  'direction',
  'kind',
  'description',
  'formula',
  'glossary',
  'needs',
  'prerequisites',
  'definitions',
  'derived',
];

/** The API's metrics as CSV, one line a name. */
export function glossaryCsv(items: readonly CatalogueItem[]): string {
  return toCsv(
    ['id', 'name', ...columns],
    items.map((item) => [item.id, item.name, ...columns.map((column) => text(item[column]))]),
  );
}
