import { readFileSync } from 'node:fs';
import { tools } from '@inferboard/core/adapters/tools';
import type { Database } from '@inferboard/db/connection/client';
import type { Replica } from '@inferboard/db/connection/replica';
import { countConnections } from '@inferboard/db/service/connection-count';
import { countStored } from '@inferboard/db/service/stored-count';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Intake } from '../intake/intake.ts';
import { createFigures } from '../processes/figures.ts';
import { addResponseCacheMetrics } from '../response-cache/metrics.ts';
import type { ResponseCache } from '../response-cache/response-cache.ts';
import { cacheQuery, countedForMs, scrapeMs } from './cache-query.ts';
import { addIntake } from './process-metrics.ts';
import { addWork } from './work-metrics.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function addConnections(registry: Registry, { sql, connectionsMax }: Database): void {
  const registers = [registry];
  const count = cacheQuery(scrapeMs, () => countConnections(sql));
  new Gauge({
    name: 'inferboard_database_up',
    help: '1 if the database answered this scrape.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await count()) === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'inferboard_database_connections',
    help: 'Connections of all processes of this service to the database, by state.',
    labelNames: ['state'],
    registers,
    aggregator: 'first',
    async collect() {
      const counts = await count();
      this.reset();
      for (const { state, connections } of counts ?? []) this.set({ state }, connections);
    },
  });
  new Gauge({
    name: 'inferboard_database_connections_max',
    help: 'Maximum number of connections of this process.',
    registers,
    collect() {
      this.set(connectionsMax);
    },
  });
}

function addReplica(registry: Registry, replica: Replica): void {
  const registers = [registry];
  new Gauge({
    name: 'inferboard_replica_in_use',
    help: 'Processes that send reads that may lag to this read replica.',
    labelNames: ['replica'],
    registers,
    aggregator: 'sum',
    collect() {
      for (const { name, inUse } of replica.copies) this.set({ replica: name }, inUse ? 1 : 0);
    },
  });
  new Gauge({
    name: 'inferboard_replica_lag_seconds',
    help: 'Lag of this read replica at the last check; NaN if unknown.',
    labelNames: ['replica'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { name, lag_ms } of replica.copies)
        this.set({ replica: name }, lag_ms === null ? Number.NaN : lag_ms / 1000);
    },
  });
}

const toolIds = tools.map(({ id }) => id).toSorted((a, b) => b.length - a.length);

/** The label of a tool, if it is a known one. Reports in the native format may use any tool name. */
function toolLabel(name: string): string {
  const id = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return toolIds.find((known) => id === known || id.startsWith(`${known}-`)) ?? 'other';
}

function addStored(registry: Registry, { sql }: Database): void {
  const registers = [registry];
  const count = cacheQuery(countedForMs, () => countStored(sql));
  new Gauge({
    name: 'inferboard_submissions',
    help: 'Stored submissions by status and tool, as of a minute ago.',
    labelNames: ['status', 'tool'],
    registers,
    aggregator: 'first',
    async collect() {
      const stored = await count();
      this.reset();
      for (const { status, tool, count: submissions } of stored?.submissions ?? [])
        this.inc({ status, tool: toolLabel(tool) }, submissions);
    },
  });
  new Gauge({
    name: 'inferboard_results',
    help: 'Stored results by status, as of a minute ago.',
    labelNames: ['status'],
    registers,
    aggregator: 'first',
    async collect() {
      const stored = await count();
      this.reset();
      for (const { status, count: results } of stored?.results ?? []) this.set({ status }, results);
    },
  });
}

function createTraffic(registers: Registry[]) {
  const requests = new Counter({
    name: 'inferboard_http_requests_total',
    help: 'Answered requests by route.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'inferboard_http_request_duration_seconds',
    help: 'Time to the first byte of the response.',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const inFlight = new Gauge({
    name: 'inferboard_http_requests_in_flight',
    help: 'Requests without a first byte of the response yet.',
    registers,
  });
  const rateLimited = new Counter({
    name: 'inferboard_rate_limited_total',
    help: 'Requests rejected by a rate limit.',
    labelNames: ['policy'],
    registers,
  });
  const eventStreams = new Gauge({
    name: 'inferboard_event_streams_open',
    help: 'Open event streams of managed runs.',
    registers,
  });
  return { requests, durations, inFlight, rateLimited, eventStreams };
}

/**
 * Metrics for operators, in a separate registry, so that several services in one process do not mix. Label values are few:
 * patterns, tools and states, never a URL, an id or a user-supplied name.
 */
export function createMetrics(
  database: Database | null,
  {
    replica = null,
    intake = null,
    responseCache = null,
    isShared = false,
  }: {
    replica?: Replica | null;
    intake?: Intake | null;
    responseCache?: ResponseCache | null;
    isShared?: boolean;
  } = {},
) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (database !== null) {
    addConnections(registry, database);
    addStored(registry, database);
    addWork(registry, database);
  }
  if (replica !== null) addReplica(registry, replica);
  if (intake !== null) addIntake(registry, intake);
  if (responseCache !== null) addResponseCacheMetrics(registry, responseCache);
  new Gauge({
    name: 'inferboard_build_info',
    help: 'Always 1. The labels describe the release.',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version, node: process.version }, 1);
  return { registry, figures: createFigures(registry, isShared), ...createTraffic([registry]) };
}

export type Metrics = ReturnType<typeof createMetrics>;
