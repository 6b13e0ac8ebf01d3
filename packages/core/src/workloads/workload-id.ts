import { type Regime, regimes } from './regime.ts';

/** The requested work: a shape (a name, a data set, or lengths) under one regime. */
export interface WorkloadId {
  /** A scenario's id: `chatbot`, `pp512`, `sharegpt`, `200-60`. */
  shape: string;
  /** Null if only a shape is named, which means all regimes. */
  regime: Regime | null;
}

/** "chatbot-steady", "pp512-offline", "200-60-burst"; only the shape if no regime is set. */
export function formatWorkload({ shape, regime }: WorkloadId): string {
  return regime === null ? shape : `${shape}-${regime}`;
}

/** Parses the output of `formatWorkload`. A text without a regime at the end is a shape. */
export function parseWorkload(text: string): WorkloadId {
  const regime = regimes.find((one) => text.endsWith(`-${one}`) && text.length > one.length + 1);
  return regime === undefined ? { shape: text, regime: null } : { shape: text.slice(0, -regime.length - 1), regime };
}
