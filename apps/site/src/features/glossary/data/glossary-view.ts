import { findFamily, metricFamilies, onRequestFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import type { CatalogueItem } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';

export interface GlossaryEntry {
  family: MetricFamily;
  /** Its names in filters, files and columns. */
  names: string[];
  direction: string;
  /** Metrics that it can be computed from, linked on the page. */
  needs: { base: string; title: string }[];
}

const directions: Record<MetricFamily['direction'], string> = {
  lower: 'lower is better',
  higher: 'higher is better',
  neutral: 'neither direction is better',
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

/** All metrics of the registry by heading, including those that only a query computes. */
export const glossaryGroups: readonly { id: string; title: string; entries: GlossaryEntry[] }[] = kinds.map(
  ({ id, title, has }) => ({
    id,
    title,
    entries: [...metricFamilies, ...onRequestFamilies].filter(has).map(toEntry),
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

/** The API's metrics as CSV, one line for each name. */
export function glossaryCsv(items: readonly CatalogueItem[]): string {
  return toCsv(
    ['id', 'name', ...columns],
    items.map((item) => [item.id, item.name, ...columns.map((column) => text(item[column]))]),
  );
}
