import { resolveGpu, resolveQuantization } from '@inferboard/core/catalogue/index';
import { formatWithUnit } from '@inferboard/core/format/figure';
import { findMetric } from '@inferboard/core/metrics/index';
import { titleInWords } from '@inferboard/core/questions/nearest';
import { formatLoad } from '@inferboard/core/subjects/load';
import { engineTitle, gpuTitle, modelTitle, quantizationTitle } from '@inferboard/core/subjects/system-label';
import { costName } from '../prices/requested-prices.ts';

interface Named {
  id: string | null;
  name: string;
}

/** The fields of an entry, short or full, that a sentence uses. */
export interface SaidEntry {
  value: number;
  system: {
    model: Named;
    quantization: Named;
    gpu: Named;
    gpu_count: number | null;
    engine: Named & { version: string | null };
  };
  load: Parameters<typeof formatLoad>[0];
}

interface Figure {
  rank_by: string;
  unit: string;
  best: SaidEntry;
}

const stated = <Fact extends Named>(fact: Fact): Fact[] =>
  fact.name === 'unspecified' || fact.name === 'n/a' ? [] : [fact];

/** "Llama 3.1 8B, FP8, 2x H100, vLLM 0.10.1": the stated facts of a system. */
export function systemText({ model, quantization, gpu, gpu_count: count, engine }: SaidEntry['system']): string {
  const cards = count !== null && count > 1 ? `${count}x ` : '';
  // A short entry has no families and recipes.
  return [
    ...stated(model).map((fact) => modelTitle({ family: null, ...fact })),
    ...stated(quantization).map((fact) =>
      quantizationTitle({ recipe: resolveQuantization(fact.name).recipe, ...fact }),
    ),
    ...stated(gpu).map((fact) => `${cards}${gpuTitle({ family: resolveGpu(fact.name).family, ...fact })}`),
    ...stated(engine).map(engineTitle),
  ].join(', ');
}

/** The name of energy per token in sentences. Results have its inverse, tokens per joule. */
export const energyName = 'energy_per_token';

/** The title of a metric in a sentence. */
export const titleOf = (name: string): string => {
  if (name === energyName) return 'energy per token';
  const metric = findMetric(name);
  return (metric && titleInWords(metric.name)) ?? 'cost per million output tokens';
};

/** The title in the unit of the question: "tokens per kWh". */
export const titleIn = (rankBy: string, unit: string): string =>
  rankBy === 'tok_per_joule' && unit !== 'tok/J' ? unit.replace('tok/', 'tokens per ') : titleOf(rankBy);

/** "134 tok/s output throughput per GPU", "9.67 tokens per joule", "0.103 J/tok", "0.28 USD per million output tokens". */
export function sayFigure(value: number, rankBy: string, unit: string): string {
  const title = titleIn(rankBy, unit);
  const number = formatWithUnit(value, unit);
  if (rankBy === energyName) return number;
  if (rankBy === 'tok_per_joule') return number.replace(unit, title);
  return rankBy === costName ? number.replace(unit, 'USD per million output tokens') : `${number} ${title}`;
}

/** "134 tok/s output throughput per GPU by Llama 3.1 8B, fp8, H100, vLLM 0.10.1, 64 in flight". */
export const sayEntry = ({ rank_by, unit, best }: Figure): string =>
  `${sayFigure(best.value, rank_by, unit)} by ${systemText(best.system)}, ${formatLoad(best.load)}`;

/** What one user gets at a load that no latency limits: a server accepts more requests than it answers in time. */
export function sayUnlimited(metrics: Readonly<Record<string, number | null>>): string {
  const ttft = ['ttft_ms_mean', 'ttft_ms_p50'].filter((name) => (metrics[name] ?? null) !== null).slice(0, 1);
  const figures = [...ttft, 'user_tok_s'].flatMap((name) => {
    const [value, unit] = [metrics[name] ?? null, findMetric(name)?.family.unit];
    return value === null || unit === undefined ? [] : [sayFigure(value, name, unit)];
  });
  const there = figures.length === 0 ? '' : ` The first result there has ${figures.join(' and ')}.`;
  return `No latency is limited.${there} Add a limit, such as "with ttft under 2 s".`;
}
