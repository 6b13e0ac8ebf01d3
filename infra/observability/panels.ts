/** One picture: what it shows, in which unit, by which questions to Prometheus. */
export interface Panel {
  title: string;
  /** What to make of it. */
  description: string;
  /** As Grafana names units. */
  unit: string;
  /** Question, and the name of its lines with labels in braces. */
  lines: readonly [expression: string, legend: string][];
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

/** Without probes and static files, which are fast and frequent. */
const asked = `route!~"/healthz|/readyz|/metrics"`;
const quantile = (q: number) =>
  `histogram_quantile(${q}, sum by (le) (rate(inferboard_http_request_duration_seconds_bucket{${asked}}[$__rate_interval])))`;

/** The dashboard, from what users feel to what may be the cause. */
export const rows: readonly Row[] = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by class of status',
        description: '4xx are errors of clients; 5xx are errors of the service.',
        unit: 'reqps',
        lines: [[`sum by (status) (rate(inferboard_http_requests_total{${asked}}[$__rate_interval]))`, '{{status}}']],
      },
      {
        title: 'Time to first byte',
        description: 'All routes together, until the first byte of the response.',
        unit: 's',
        lines: [
          [quantile(0.5), 'p50'],
          [quantile(0.95), 'p95'],
          [quantile(0.99), 'p99'],
        ],
      },
      {
        title: 'Slowest routes, p95',
        description: 'The ten routes with the slowest responses.',
        unit: 's',
        lines: [
          [
            `topk(10, histogram_quantile(0.95, sum by (le, method, route) (rate(inferboard_http_request_duration_seconds_bucket{${asked}}[$__rate_interval]))))`,
            '{{method}} {{route}}',
          ],
        ],
      },
      {
        title: 'Requests in progress, rate-limited, streams',
        description: 'Requests without a first byte of the response, 429 by quota, and open event streams of runs.',
        unit: 'short',
        lines: [
          ['sum(inferboard_http_requests_in_flight)', 'in progress'],
          ['sum by (policy) (rate(inferboard_rate_limited_total[$__rate_interval]))', '429/s {{policy}}'],
          ['sum(inferboard_event_streams_open)', 'event streams'],
        ],
      },
    ],
  },
  {
    title: 'Submissions and boards',
    panels: [
      {
        title: 'Submissions stored, by tool',
        description: 'Of any status, as of a minute ago.',
        unit: 'short',
        lines: [['max by (tool) (sum by (tool, instance) (inferboard_submissions))', '{{tool}}']],
      },
      {
        title: 'Results by status',
        description: 'Quarantined results wait for an admin.',
        unit: 'short',
        lines: [['max by (status) (inferboard_results)', '{{status}}']],
      },
      {
        title: 'Queued large submissions',
        description: 'Queued for the parser thread, or being parsed.',
        unit: 'short',
        lines: [['inferboard_intake_waiting', '{{instance}}']],
      },
      {
        title: 'Waiting for an admin',
        description: 'Open concerns, and the age of the oldest.',
        unit: 'short',
        lines: [
          ['max(inferboard_concerns_open)', 'reported problems'],
          ['max(inferboard_concerns_oldest_open_seconds) / 86400', 'oldest, days'],
        ],
      },
    ],
  },
  {
    title: 'Managed runs and webhooks',
    panels: [
      {
        title: 'Queue of runs',
        description: 'Unfinished runs by state. Every process reports the same figures.',
        unit: 'short',
        lines: [
          ['max by (state) (inferboard_runs_open)', '{{state}}'],
          ['max(inferboard_runs_stalled)', 'stalled'],
        ],
      },
      {
        title: 'Oldest waiting run',
        description: 'Waiting time of the run that has waited longest for a worker.',
        unit: 's',
        lines: [['max(inferboard_runs_oldest_pending_seconds)', 'waits']],
      },
      {
        title: 'Runs ended in an hour',
        description: 'By state and reason.',
        unit: 'short',
        lines: [['max by (state, reason) (delta(inferboard_runs_ended[1h]))', '{{state}} {{reason}}']],
      },
      {
        title: 'Webhook messages',
        description: 'Queued messages, the delay of the oldest due message, and outcomes of the last month.',
        unit: 'short',
        lines: [
          ['max(inferboard_webhook_deliveries_waiting)', 'waiting'],
          ['max(inferboard_webhook_deliveries_oldest_due_seconds)', 'oldest due, s'],
          ['max by (outcome) (inferboard_webhook_deliveries_ended)', '{{outcome}}'],
        ],
      },
    ],
  },
  {
    title: 'Database',
    panels: [
      {
        title: 'Connections by state',
        description: 'All processes. Connections that stay `idle in transaction` indicate a bug.',
        unit: 'short',
        lines: [
          ['max by (state) (inferboard_database_connections)', '{{state}}'],
          ['sum(inferboard_database_connections_max)', 'at most'],
        ],
      },
      {
        title: 'Availability and size',
        description: 'Whether the database responded to the scrape, and the disk space that it uses.',
        unit: 'bytes',
        lines: [
          ['max(inferboard_database_size_bytes)', 'size'],
          ['min(inferboard_database_up)', 'up'],
        ],
      },
      {
        title: 'Overdue rows',
        description: 'Rows that the retention rules should have removed at least an hour ago.',
        unit: 'short',
        lines: [['max by (table) (inferboard_retention_overdue_rows)', '{{table}}']],
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Event loop lag, p99',
        description: 'Delay of timers. It delays every request.',
        unit: 's',
        lines: [['nodejs_eventloop_lag_p99_seconds', '{{instance}}']],
      },
      {
        title: 'CPU',
        description: 'Cores used.',
        unit: 'short',
        lines: [['rate(process_cpu_seconds_total[$__rate_interval])', '{{instance}}']],
      },
      {
        title: 'Memory',
        description: 'Resident, and the heap in use.',
        unit: 'bytes',
        lines: [
          ['process_resident_memory_bytes', 'resident {{instance}}'],
          ['nodejs_heap_size_used_bytes', 'heap {{instance}}'],
        ],
      },
      {
        title: 'Up since, version',
        description: 'A process that starts again and again does not stay up.',
        unit: 's',
        lines: [
          ['time() - process_start_time_seconds', '{{instance}}'],
          ['count by (version) (inferboard_build_info)', 'processes of {{version}}'],
        ],
      },
    ],
  },
];
