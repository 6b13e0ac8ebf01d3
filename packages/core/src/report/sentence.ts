import { formatLoad } from '../load.ts';
import type { Threshold } from './thresholds.ts';
import type { Evidence, Figure, ReportScenario } from './types.ts';

/** Words with what they rest on; pieces join into sentences, and what they cite joins with them. */
export interface Said {
  text: string;
  evidence: Evidence[];
  thresholds: Threshold[];
  scenarios: ReportScenario[];
}

const words = (text: string): Said => ({ text, evidence: [], thresholds: [], scenarios: [] });

export const silence: Said = words('');

/** Each citation once: figures by what they are and how they are printed. */
function once<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** A sentence as a template: `say\`first token after ${figure}\``. Literal parts hold no numbers. */
export function say(literals: TemplateStringsArray, ...pieces: readonly (Said | string)[]): Said {
  const parts = literals.flatMap((literal, index) => {
    const piece = pieces[index];
    return [words(literal), typeof piece === 'string' ? words(piece) : (piece ?? silence)];
  });
  return {
    text: parts.map(({ text }) => text).join(''),
    evidence: once(
      parts.flatMap(({ evidence }) => evidence),
      (item) => JSON.stringify(item),
    ),
    thresholds: once(
      parts.flatMap(({ thresholds }) => thresholds),
      ({ id }) => id,
    ),
    scenarios: once(
      parts.flatMap(({ scenarios }) => scenarios),
      (scenario) => JSON.stringify(scenario),
    ),
  };
}

/** More than this many names make no sentence. */
const listedMax = 6;

/** "a", "a and b", "a, b and c"; of a long list the first ones "and others". */
export function listed(pieces: readonly Said[]): Said {
  const isLong = pieces.length > listedMax;
  const [first, ...rest] = pieces.slice(0, listedMax);
  if (first === undefined) return silence;
  const said = rest.reduce(
    (before, piece, index) =>
      index === rest.length - 1 && !isLong ? say`${before} and ${piece}` : say`${before}, ${piece}`,
    first,
  );
  return isLong ? say`${said} and others` : said;
}

/** How a value is printed: its factor and unit, and the digits it deserves. */
function styleOf({ value, unit, metric }: Pick<Figure, 'value' | 'unit' | 'metric'>) {
  if (metric === 'scaling_efficiency' || metric === 'roofline_share') return { factor: 100, unit: '%', digits: 2 };
  if (unit === 'ms' && Math.abs(value) >= 1000) return { factor: 1e-3, unit: 's', digits: 3 };
  if (unit === 'ms') return { factor: 1, unit, digits: 3 };
  return { factor: 1, unit, digits: 4 };
}

/** "62,290": thousands apart, all other digits as they are. */
const grouped = (value: number): string => {
  const [whole = '', rest] = String(value).split('.');
  const apart = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? apart : `${apart}.${rest}`;
};

/** Doubles tell no more apart. */
const digitsMax = 17;

const inUnitOf = (threshold: Threshold, unit: string) =>
  threshold.unit === 's' && unit === 'ms' ? threshold.value * 1000 : threshold.value;

/**
 * A figure as text, with as many digits as it takes to stay on its side of every limit it is judged by: 20.04 ms over
 * a limit of 20 ms is not printed as 20 ms.
 */
export function figureText(
  figure: Pick<Figure, 'value' | 'unit' | 'metric'>,
  limits: readonly Threshold[] = [],
): string {
  const { factor, unit, digits } = styleOf(figure);
  const scaled = figure.value * factor;
  const side = (value: number, limit: number) => Math.sign(value - limit);
  // Requests are counted, and a share is written in whole percent: none is rounded away.
  const whole = unit === 'requests' || unit === '%' ? Math.ceil(Math.log10(Math.abs(scaled) + 1)) : 0;
  for (let count = Math.min(digitsMax, Math.max(digits, whole)); ; count += 1) {
    const rounded = Number(scaled.toPrecision(count));
    const isTrue = limits.every((threshold) => {
      const limit = inUnitOf(threshold, figure.unit);
      return side(rounded / factor, limit) === side(figure.value, limit);
    });
    if (!isTrue && count < digitsMax) continue;
    if (unit === 'requests' && rounded === 1) return '1 request';
    return unit === '' ? grouped(rounded) : `${grouped(rounded)} ${unit}`;
  }
}

/** "172.5 tok/s". */
export function number(figure: Figure, limits: readonly Threshold[] = []): Said {
  const text = figureText(figure, limits);
  return { ...words(text), evidence: [{ ...figure, text }] };
}

/** "Chatbot, 32 concurrent": where a figure was measured. The figure itself must be cited beside it. */
export function place({ scenario, load }: Figure): Said {
  return words(`${scenario.title}, ${formatLoad(load)}`);
}

/** "172.5 tok/s (Chatbot, single request)". */
export function located(figure: Figure, limits: readonly Threshold[] = []): Said {
  return say`${number(figure, limits)} (${place(figure)})`;
}

/** "2.85 s (burst of 128)", where the scenario is named already. */
export function atLoad(figure: Figure, limits: readonly Threshold[] = []): Said {
  return say`${number(figure, limits)} (${formatLoad(figure.load)})`;
}

export function limit(threshold: Threshold): Said {
  return { ...words(threshold.text), thresholds: [threshold] };
}

/** A scenario by its title, where no figure of it is cited. */
export function named(scenario: ReportScenario): Said {
  return { ...words(scenario.title), scenarios: [scenario] };
}
