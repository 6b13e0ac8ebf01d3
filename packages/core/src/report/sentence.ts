import { formatLoad } from '../subjects/load.ts';
import type { Threshold } from './thresholds.ts';
import type { Evidence, Figure, ReportScenario } from './types.ts';

/** Text with its evidence. When pieces join into sentences, their citations join too. */
export interface Said {
  text: string;
  evidence: Evidence[];
  thresholds: Threshold[];
  scenarios: ReportScenario[];
}

const words = (text: string): Said => ({ text, evidence: [], thresholds: [], scenarios: [] });

export const silence: Said = words('');

/** Removes duplicate citations. Figures are equal if they have the same identity and text. */
function once<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** Builds a sentence from a template: `say\`first token after ${figure}\``. Literal parts contain no numbers. */
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

/** Maximum names in a sentence. */
const listedMax = 6;

/** "a", "a and b", "a, b and c"; a long list has the first ones "and others". */
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

/** How to print a value: its factor, unit and number of digits. */
function styleOf({ value, unit, metric }: Pick<Figure, 'value' | 'unit' | 'metric'>) {
  if (metric === 'scaling_efficiency' || metric === 'roofline_share') return { factor: 100, unit: '%', digits: 2 };
  if (unit === 'ms' && Math.abs(value) >= 1000) return { factor: 1e-3, unit: 's', digits: 3 };
  if (unit === 'ms') return { factor: 1, unit, digits: 3 };
  return { factor: 1, unit, digits: 4 };
}

/** "62,290": with thousands separators and all other digits unchanged. */
const grouped = (value: number): string => {
  const [whole = '', rest] = String(value).split('.');
  const apart = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? apart : `${apart}.${rest}`;
};

/** The precision of a double. */
const digitsMax = 17;

const inUnitOf = (threshold: Threshold, unit: string) =>
  threshold.unit === 's' && unit === 'ms' ? threshold.value * 1000 : threshold.value;

/**
 * Formats a figure with enough digits to stay on its side of every limit that judges it. With a limit of 20 ms, 20.04 ms is
 * not printed as 20 ms.
 */
export function figureText(
  figure: Pick<Figure, 'value' | 'unit' | 'metric'>,
  limits: readonly Threshold[] = [],
): string {
  const { factor, unit, digits } = styleOf(figure);
  const scaled = figure.value * factor;
  const side = (value: number, limit: number) => Math.sign(value - limit);
  // Requests are integers and shares are whole percents, so keep all digits of the whole part.
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

/** "Chatbot, 32 concurrent": where a figure was measured. The figure itself must be cited too. */
export function place({ scenario, load }: Figure): Said {
  return words(`${scenario.title}, ${formatLoad(load)}`);
}

/** "172.5 tok/s (Chatbot, single request)". */
export function located(figure: Figure, limits: readonly Threshold[] = []): Said {
  return say`${number(figure, limits)} (${place(figure)})`;
}

/** "2.85 s (burst of 128)", if the scenario is already named. */
export function atLoad(figure: Figure, limits: readonly Threshold[] = []): Said {
  return say`${number(figure, limits)} (${formatLoad(figure.load)})`;
}

export function limit(threshold: Threshold): Said {
  return { ...words(threshold.text), thresholds: [threshold] };
}

/** A scenario by its title, if none of its figures is cited. */
export function named(scenario: ReportScenario): Said {
  return { ...words(scenario.title), scenarios: [scenario] };
}
