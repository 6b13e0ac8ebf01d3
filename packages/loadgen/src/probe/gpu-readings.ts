import type { Sample } from '../report/observed.ts';

/** One GPU at one moment; what it does not show is null. */
export interface GpuReading {
  unixMs: number;
  index: number;
  powerW: number | null;
  smClockMhz: number | null;
  memoryClockMhz: number | null;
  usePercent: number | null;
  memoryMib: number | null;
}

const toNumber = (text: string | undefined): number | null => {
  const value = Number.parseFloat(text ?? '');
  return Number.isFinite(value) ? value : null;
};

/** `2026/11/24 02:17:01.123`, in the time zone of this machine. */
function toUnixMs(text: string): number {
  const [, year, month, day, time] = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  return time === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T${time}`);
}

/** Reads what `nvidia-smi` prints in its loop: a line for each GPU, again and again. */
export class NvidiaReader {
  #round: GpuReading[] = [];

  /** The readings of the round before where a line begins a new one; null otherwise. */
  read(line: string): GpuReading[] | null {
    const [time = '', index, power, sm, memory, use, used] = line.split(',').map((cell) => cell.trim());
    const unixMs = toUnixMs(time);
    const place = toNumber(index);
    if (Number.isNaN(unixMs) || place === null) return null;
    const reading: GpuReading = {
      ...{ unixMs, index: place, powerW: toNumber(power), smClockMhz: toNumber(sm) },
      ...{ memoryClockMhz: toNumber(memory), usePercent: toNumber(use), memoryMib: toNumber(used) },
    };
    const isNew = this.#round.some((other) => other.index === place);
    const whole = isNew ? this.#round : null;
    this.#round = isNew ? [reading] : [...this.#round, reading];
    return whole;
  }
}

type RocmCard = Record<string, string>;

const find = (card: RocmCard, pattern: RegExp) => Object.entries(card).find(([name]) => pattern.test(name))?.[1];
/** "(1980Mhz)" */
const clock = (text: string | undefined) => toNumber(/(\d+)\s*mhz/i.exec(text ?? '')?.[1]);

/** Reads the JSON of `rocm-smi`, one object for each card. */
export function readRocm(text: string, unixMs: number): GpuReading[] {
  // Warnings may precede it.
  const cards = JSON.parse(text.slice(text.indexOf('{'))) as Record<string, RocmCard>;
  return Object.entries(cards).flatMap(([name, card]) => {
    const index = toNumber(/^card(\d+)$/.exec(name)?.[1]);
    if (index === null) return [];
    return [
      {
        ...{ unixMs, index, powerW: toNumber(find(card, /Graphics Package Power \(W\)/)) },
        smClockMhz: clock(find(card, /^sclk clock speed/)),
        memoryClockMhz: clock(find(card, /^mclk clock speed/)),
        usePercent: toNumber(find(card, /^GPU use \(%\)/)),
        memoryMib: null,
      },
    ];
  });
}

const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** All GPUs of one round together: power and memory added up, the rest as the mean. Power only where every GPU shows it. */
export function toSample(readings: readonly GpuReading[]): Sample {
  const of = (pick: (reading: GpuReading) => number | null) => known(readings.map(pick));
  const mean = (values: number[]) => (values.length === 0 ? undefined : sum(values) / values.length);
  const power = of(({ powerW }) => powerW);
  const memory = of(({ memoryMib }) => memoryMib);
  const values = {
    power_w: power.length === readings.length ? sum(power) : undefined,
    sm_clock_mhz: mean(of(({ smClockMhz }) => smClockMhz)),
    memory_clock_mhz: mean(of(({ memoryClockMhz }) => memoryClockMhz)),
    gpu_use_percent: mean(of(({ usePercent }) => usePercent)),
    gpu_memory_gib: memory.length === 0 ? undefined : sum(memory) / 1024,
  };
  const shown = Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return { unixMs: mean(readings.map(({ unixMs }) => unixMs)) ?? Number.NaN, values: Object.fromEntries(shown) };
}
