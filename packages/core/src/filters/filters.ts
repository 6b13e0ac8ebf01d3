import { tools } from '../adapters/tools.ts';
import {
  catalogueKey,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../catalogue/index.ts';
import type { MetricName } from '../metrics/index.ts';
import type { GpuPrice } from '../prices/price-list.ts';
import type { Trust, UnrankedStatus } from '../result.ts';
import type { Regime } from '../workloads/regime.ts';
import { formatWorkload, parseWorkload } from '../workloads/workload-id.ts';
import type { QualityBound } from './quality.ts';

/**
 * One value of a filter on a catalogued fact: an entry (with its recipe, where the words named one), a family that
 * stands for all its variants, or a name the catalogue does not know.
 */
export type Match =
  | { by: 'id'; id: string; recipe?: string[] }
  | { by: 'family'; family: string }
  | { by: 'name'; key: string };

export interface Bound {
  metric: MetricName;
  side: 'min' | 'max';
  value: number;
}

/** What a reader asked for. Lists mean any-of; absent means no limit. */
export interface Filters {
  model?: Match[];
  modelFamily?: string[];
  quantization?: Match[];
  gpu?: Match[];
  gpuCount?: number[];
  gpuPowerLimitW?: number[];
  engine?: Match[];
  engineVersion?: string[];
  /** Workloads ("chatbot-steady") and shapes ("chatbot"), which stand for all regimes. */
  workload?: string[];
  regime?: Regime[];
  loadMode?: string[];
  loadLevel?: number[];
  minLoadLevel?: number;
  maxLoadLevel?: number;
  trust?: Trust[];
  account?: string[];
  tool?: string[];
  system?: string[];
  submission?: string[];
  since?: string;
  until?: string;
  /** What a model has to score in its quantization. */
  quality?: QualityBound[];
  /** Prices of GPUs, the first that matches counts, where cost is ranked: systems whose GPU has no price are left out. */
  prices?: readonly GpuPrice[];
  include: UnrankedStatus[];
  bounds: Bound[];
}

export const noFilters: Filters = { include: [], bounds: [] };

/** "h100" is a family, "h100-sxm" an entry, "Frobnicator 9000" a name. */
export function matchGpu(text: string): Match {
  const { id, family } = resolveGpu(text);
  if (id !== null) return { by: 'id', id };
  return family === null ? { by: 'name', key: catalogueKey(text) } : { by: 'family', family };
}

export function matchModel(text: string): Match {
  const { id, family } = resolveModel(text);
  if (id !== null) return { by: 'id', id };
  return family === null ? { by: 'name', key: catalogueKey(text) } : { by: 'family', family };
}

/** "w8a8" is every recipe of it, "w8a8_smooth_gptq" that recipe only. */
export function matchQuantization(text: string): Match {
  const { id, recipe } = resolveQuantization(text);
  if (id === null) return { by: 'name', key: catalogueKey(text) };
  return recipe.length > 0 ? { by: 'id', id, recipe } : { by: 'id', id };
}

export function matchEngine(text: string): Match {
  const { id } = resolveEngine(text);
  return id === null ? { by: 'name', key: catalogueKey(text) } : { by: 'id', id };
}

/** "RAG / QA" is rag, "pp 512" is pp512; what is no scenario of the catalogue, such as a kernel's case, stays as it is. */
export function matchScenario(text: string): string {
  return readScenarioName(text) ?? catalogueKey(text);
}

/** "rag-steady" and "RAG / QA-steady" are one workload; a shape alone stands for each of its regimes. */
export function matchWorkload(text: string): string {
  const { shape, regime } = parseWorkload(text.trim());
  // A shape of its own name may end like a regime.
  if (regime === null || readScenarioName(text) !== null) return matchScenario(text);
  return formatWorkload({ shape: matchScenario(shape), regime });
}

/** Names that results carry for a tool. The id and the name of a tool that is read both find its results. */
export function matchTool(text: string): string[] {
  const tool = tools.find(({ id, name }) => id === text || name === text);
  return tool === undefined ? [text] : [...new Set([text, tool.id, tool.name])];
}
