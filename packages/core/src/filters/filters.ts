import { namesInResults, tools } from '../adapters/tools.ts';
import {
  catalogueKey,
  type Gpu,
  gpuFamilies,
  gpuVendor,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../catalogue/index.ts';
import type { MetricName } from '../metrics/index.ts';
import type { GpuPrice } from '../prices/price-list.ts';
import type { Trust, UnrankedStatus } from '../subjects/result.ts';
import type { Regime } from '../workloads/regime.ts';
import { formatWorkload, parseWorkload } from '../workloads/workload-id.ts';
import type { QualityBound } from './quality.ts';

/**
 * One value of a filter on a catalogued fact: an entry (with its recipe, if named), a family with all variants, or an
 * unknown name.
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

/** A reader's filters. Lists mean any-of; absent means no limit. */
export interface Filters {
  model?: Match[];
  modelFamily?: string[];
  quantization?: Match[];
  gpu?: Match[];
  gpuCount?: number[];
  minGpuCount?: number;
  maxGpuCount?: number;
  gpuPowerLimitW?: number[];
  minGpuPowerLimitW?: number;
  maxGpuPowerLimitW?: number;
  engine?: Match[];
  /** Versions as stored; "0.10.x" matches every version that starts with 0.10. */
  engineVersion?: string[];
  /** Excluded models. */
  notModel?: Match[];
  notGpu?: Match[];
  notQuantization?: Match[];
  notEngine?: Match[];
  /** Minimum context before the first generated token: the prompt plus cached tokens. */
  minContext?: number;
  /** Workloads ("chatbot-steady") and shapes ("chatbot"), which include all regimes. */
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
  /** Required scores of the model in its quantization. */
  quality?: QualityBound[];
  /** Prices of GPUs for ranking by cost; the first match applies. Systems with a GPU without a price are excluded. */
  prices?: readonly GpuPrice[];
  include: UnrankedStatus[];
  bounds: Bound[];
}

export const noFilters: Filters = { include: [], bounds: [] };

const vendorNames: Readonly<Record<string, Gpu['vendor']>> = {
  ...{ nvidia: 'nvidia', geforce: 'nvidia', amd: 'amd', radeon: 'amd', instinct: 'amd', intel: 'intel' },
  ...{ apple: 'apple', google: 'google' },
};

/** Returns the vendor that a text names, such as "amd" or "radeon"; null if it names none. */
export function vendorOf(text: string): Gpu['vendor'] | null {
  const name = text.trim().toLowerCase();
  return Object.hasOwn(vendorNames, name) ? (vendorNames[name] ?? null) : null;
}

/** Expands a GPU filter's value: "amd" matches every family of the vendor. */
export function matchGpus(text: string): Match[] {
  const vendor = vendorOf(text);
  if (vendor === null) return [matchGpu(text)];
  return gpuFamilies.flatMap(({ id: family }): Match[] =>
    gpuVendor({ id: null, family }) === vendor ? [{ by: 'family', family }] : [],
  );
}

/** "h100" matches a family, "h100-sxm" an entry, "Frobnicator 9000" a name. */
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

/** "w8a8" matches all of its recipes, "w8a8_smooth_gptq" only that recipe. */
export function matchQuantization(text: string): Match {
  const { id, recipe } = resolveQuantization(text);
  if (id === null) return { by: 'name', key: catalogueKey(text) };
  return recipe.length > 0 ? { by: 'id', id, recipe } : { by: 'id', id };
}

/** The formats that a bare "fp4" names: publishers call NVFP4 on NVIDIA's GPUs and MXFP4 on AMD's so. */
export const fp4Formats = ['nvfp4', 'mxfp4'] as const;

/** Expands a quantization filter's value: "fp4" matches both formats of that name. */
export const matchQuantizations = (text: string): Match[] =>
  text.trim().toLowerCase() === 'fp4' ? fp4Formats.map((id) => ({ by: 'id', id })) : [matchQuantization(text)];

export function matchEngine(text: string): Match {
  const { id } = resolveEngine(text);
  return id === null ? { by: 'name', key: catalogueKey(text) } : { by: 'id', id };
}

/** "RAG / QA" becomes rag, "pp 512" becomes pp512. Names outside the catalogue, such as a kernel's case, stay unchanged. */
export function matchScenario(text: string): string {
  return readScenarioName(text) ?? catalogueKey(text);
}

/** "rag-steady" and "RAG / QA-steady" are one workload. A shape alone matches all its regimes. */
export function matchWorkload(text: string): string {
  const { shape, regime } = parseWorkload(text.trim());
  // The name of a shape may end like a regime.
  if (regime === null || readScenarioName(text) !== null) return matchScenario(text);
  return formatWorkload({ shape: matchScenario(shape), regime });
}

/** Returns the names of a tool that results may have. Both the id and the name of a supported tool find its results. */
export function matchTool(text: string): string[] {
  const tool = tools.find(({ id, name }) => id === text || name === text);
  return tool === undefined ? [text] : [...new Set([text, tool.id, tool.name, ...(namesInResults[tool.id] ?? [])])];
}
