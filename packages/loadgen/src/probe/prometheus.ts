/** One series of the Prometheus text format. */
export interface PrometheusSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function toNumber(text: string): number {
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

/** Reads the wanted series; lines that are none are left out. */
export function readPrometheus(text: string, wanted: (name: string) => boolean): PrometheusSample[] {
  return text.split('\n').flatMap((row) => {
    const [, name, labels = '', value = ''] = line.exec(row) ?? [];
    if (name === undefined || !wanted(name)) return [];
    const pairs = [...labels.matchAll(label)].map(([, key = '', of = '']) => [key, of] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: toNumber(value) }];
  });
}
