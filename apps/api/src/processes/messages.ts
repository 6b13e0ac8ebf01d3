import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { OpenedDatabase } from '../service.ts';

/** The figures of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[];

/** What the first process sends to those that answer. */
export type ToMember =
  /** Before anything else. No database: a site apart has none. The port is null for the first, which finds one if it is 0. */
  | { type: 'join'; database: OpenedDatabase | null; port: number | null; number: number }
  /** Asks for its own figures. */
  | { type: 'figures_asked'; id: number }
  /** Those of all, as Prometheus reads them; null where not all answered in time. */
  | { type: 'figures_of_all'; id: number; text: string | null };

/** What those that answer send to the first process. */
export type ToPrimary =
  /** Its port is open. */
  | { type: 'ready'; url: string; port: number; adminKey: string | null }
  | { type: 'figures'; id: number; figures: Figures }
  | { type: 'figures_of_all_asked'; id: number };
