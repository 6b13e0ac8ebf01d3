import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { OpenedDatabase } from '../startup/service.ts';

/** The metrics of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[];

/** Messages from the first process to the members. */
export type ToMember =
  /**
   * The first message. The database is null for a separate site. The port is null for the first member, which binds a free one if
   * the setting is 0.
   */
  | { type: 'join'; database: OpenedDatabase | null; port: number | null; number: number }
  /** Requests the member's metrics. */
  | { type: 'figures_asked'; id: number }
  /** The metrics of all processes in Prometheus' format; null if not all responded in time. */
  | { type: 'figures_of_all'; id: number; text: string | null };

/** Messages from the members to the first process. */
export type ToPrimary =
  /** The member's port is open. */
  | { type: 'ready'; url: string; port: number; adminKey: string | null; signInLink: string | null }
  | { type: 'figures'; id: number; figures: Figures }
  | { type: 'figures_of_all_asked'; id: number };
