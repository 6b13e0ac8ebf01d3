import { type Regime, regimes } from './regime.ts';

/** The work that was asked for: a shape (named, a data set, or lengths) under one regime. */
export interface WorkloadId {
  /** A scenario's id: `chatbot`, `pp512`, `sharegpt`, `200-60`. */
  shape: string;
  /** Null where only a shape was named: every regime of it. */
  regime: Regime | null;
}

/** "chatbot-steady", "pp512-offline", "200-60-burst"; the shape alone where no regime is set. */
export function formatWorkload({ shape, regime }: WorkloadId): string {
  return regime === null ? shape : `${shape}-${regime}`;
}

/** Reads what `formatWorkload` wrote. A text without a regime at its end is a shape. */
export function parseWorkload(text: string): WorkloadId {
  const regime = regimes.find((one) => text.endsWith(`-${one}`) && text.length > one.length + 1);
  return regime === undefined ? { shape: text, regime: null } : { shape: text.slice(0, -regime.length - 1), regime };
}
