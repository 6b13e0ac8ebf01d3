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

/** Of requests that people and programs wait for; probes and pages' files are quick and many. */
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
        title: 'Time until the answer leaves',
        description: 'Of all routes together. A streamed answer has begun to leave.',
        unit: 's',
        lines: [
          [quantile(0.5), 'p50'],
          [quantile(0.95), 'p95'],
          [quantile(0.99), 'p99'],
        ],
      },
      {
        title: 'Slowest routes, p95',
        description: 'The ten patterns of addresses whose answers take longest.',
        unit: 's',
        lines: [
          [
            `topk(10, histogram_quantile(0.95, sum by (le, method, route) (rate(inferboard_http_request_duration_seconds_bucket{${asked}}[$__rate_interval]))))`,
            '{{method}} {{route}}',
          ],
        ],
      },
      {
        title: 'Under way, refused for too many, streams',
        description: 'Requests whose answer has not begun to leave, 429 by quota, and open streams of runs.',
        unit: 'short',
        lines: [
          ['sum(inferboard_http_requests_in_flight)', 'under way'],
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
        description: 'All standings together, as of a minute ago.',
        unit: 'short',
        lines: [['max by (tool) (sum by (tool, instance) (inferboard_submissions))', '{{tool}}']],
      },
      {
        title: 'Results by standing',
        description: 'Quarantined ones wait for an admin.',
        unit: 'short',
        lines: [['max by (status) (inferboard_results)', '{{status}}']],
      },
      {
        title: 'Large submissions waiting',
        description: 'For the thread that reads them, or under way there.',
        unit: 'short',
        lines: [['inferboard_intake_waiting', '{{instance}}']],
      },
      {
        title: 'Waiting for an admin',
        description: 'Problems that readers reported, and for how long the oldest.',
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
        description: 'Unfinished runs, by state; every process reports the same.',
        unit: 'short',
        lines: [
          ['max by (state) (inferboard_runs_open)', '{{state}}'],
          ['max(inferboard_runs_stalled)', 'stalled'],
        ],
      },
      {
        title: 'Oldest waiting run',
        description: 'How long the run has been due that waits longest for a worker.',
        unit: 's',
        lines: [['max(inferboard_runs_oldest_pending_seconds)', 'waits']],
      },
      {
        title: 'Runs ended in an hour',
        description: 'By how they ended and why.',
        unit: 'short',
        lines: [['max by (state, reason) (delta(inferboard_runs_ended[1h]))', '{{state}} {{reason}}']],
      },
      {
        title: 'Webhook messages',
        description: 'Waiting, and for how long the oldest is due; given up, of the last month.',
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
        description: 'Of all processes; `idle in transaction` for long is a fault.',
        unit: 'short',
        lines: [
          ['max by (state) (inferboard_database_connections)', '{{state}}'],
          ['sum(inferboard_database_connections_max)', 'at most'],
        ],
      },
      {
        title: 'Answers, size',
        description: 'Whether it answered a scrape within a second, and what it takes on disk.',
        unit: 'bytes',
        lines: [
          ['max(inferboard_database_size_bytes)', 'size'],
          ['min(inferboard_database_up)', 'up'],
        ],
      },
      {
        title: 'Rows that should be gone',
        description: 'What the retention rules say should have been removed an hour ago.',
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
        description: 'Delay of timers; every request waits for it.',
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
