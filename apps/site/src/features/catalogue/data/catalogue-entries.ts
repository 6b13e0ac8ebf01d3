import type { Metric } from '@inferboard/core/metrics/index';
import { barScaleMax, type IntervalBar, intervalBar } from '../../../charts/interval-bar.ts';
import type { Entry, System } from '../../../lib/api.ts';
import { distinguishingFacts } from '../../../lib/distinct-systems.ts';
import { type Figure, toFigure } from '../../../lib/figures.ts';
import { isTied, rankText } from '../../../lib/rank-text.ts';
import {
  engineText,
  gpuText,
  loadText,
  quantizationText,
  scenarioText,
  systemTitle,
  trustWords,
} from '../../../lib/words.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { gpuPage, modelPage, quantizationPage } from './catalogue-links.ts';

interface Named {
  text: string;
  href: string | null;
}

/** A board entry as the catalogue pages show it. */
export interface EntryRow {
  id: string;
  href: string;
  /** "1" or "1–3". */
  place: string;
  isTied: boolean;
  model: Named;
  quantization: Named | null;
  gpu: Named;
  engine: string | null;
  /** What distinguishes the system from others of the list with the same names, such as "build rocm6_4_4". */
  facts: readonly string[];
  scenario: string;
  load: string;
  /** The number of the load, such as concurrent requests; null if it is unknown. */
  level: number | null;
  figure: Figure;
  bar: IntervalBar;
  trust: string;
  findings: number;
  /** The publication of the value; null if it was not imported. */
  source: PublishedSource | null;
}

const intervalOf = ({ statistics: { ci95, assumed } }: Entry) => ci95 ?? assumed?.interval ?? null;

const nameOf = (system: System) =>
  JSON.stringify([systemTitle(system), quantizationText(system), gpuText(system), engineText(system)]);

/** The entries of a board. Their bars share one scale. */
export function toEntryRows(entries: readonly Entry[], metric: Metric): EntryRow[] {
  const max = barScaleMax(entries.map((entry) => ({ value: entry.value, ci95: intervalOf(entry) })));
  const facts = distinguishingFacts(
    entries.map(({ system }) => system),
    nameOf,
  );
  return entries.map((entry) => {
    const { system, statistics, scenario, load, trust, findings, value } = entry;
    const quantization = quantizationText(system);
    return {
      id: system.id,
      href: `/systems/${system.id}`,
      place: rankText(entry) ?? '',
      isTied: isTied(entry),
      model: { text: systemTitle(system), href: modelPage(system) },
      quantization: quantization === null ? null : { text: quantization, href: quantizationPage(system) },
      gpu: { text: gpuText(system), href: gpuPage(system) },
      engine: engineText(system),
      facts: facts.get(system.id) ?? [],
      scenario: scenarioText(scenario).title,
      load: loadText(load, entry.workload?.regime),
      level: load.level,
      figure: toFigure(statistics, metric.family, statistics.assumed),
      bar: intervalBar(value, intervalOf(entry), max, statistics.assumed !== null),
      trust: trustWords[trust].label,
      findings,
      source: publishedSource(entry.source),
    };
  });
}
