import type { Side } from '../compare-servers/paired.ts';
import type { ReportedSystem } from '../points/native-report.ts';
import type { Detected } from '../probe/detected.ts';
import { describeServer } from './describe-server.ts';
import type { MeasureOptions } from './options.ts';
import { findModel } from './reach-server.ts';

/** A server that is measured, and what is known of it. */
export interface Target {
  side: Side;
  /** Those of this server. */
  options: MeasureOptions;
  apiKey: string | null;
  model: string;
  system: ReportedSystem;
  detected: Detected;
  /** Where the server contradicts an option. */
  doubts: string[];
}

/** The options of the second server; null without one. The credential of the first is not among them. */
export function secondOptions(options: MeasureOptions): MeasureOptions | null {
  const { against, traffic } = options;
  if (against === null) return null;
  const { authorization: _, ...headers } = traffic.headers;
  return {
    ...options,
    ...{ url: against.url, model: against.model ?? options.model, apiKeyEnv: against.apiKeyEnv, weights: null },
    system: { ...options.system, ...against.facts },
    traffic: { ...traffic, headers },
  };
}

/** Asks a server for its model and its facts. @throws ServerError, RecordsError */
export async function describeTarget(
  side: Side,
  options: MeasureOptions,
  apiKey: string | null,
  signal: AbortSignal,
): Promise<Target> {
  const model = await findModel(options, apiKey, signal, side);
  const { system, ...described } = await describeServer(options, model, apiKey, side);
  return { ...{ side, apiKey, model }, options: { ...options, model }, system: { ...system, model }, ...described };
}
