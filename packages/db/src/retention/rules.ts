/** What is removed of a table, and when. */
interface Removal {
  /** PostgreSQL interval that rows are kept. */
  after: string;
  /** SQL that holds for rows of the table `t` that are older than `:age`. */
  where: string;
  /** By which the oldest come first, and are found without looking at those that stay. */
  oldest: string;
  /** Rows a statement. */
  batch: number;
  because: string;
}

/** How long rows stay: some are removed, or all are kept, for a reason. */
export type Retention = Removal | { kept: string };

/** Every table. One that is not named here fails a test: what grows without an end is somebody's decision. */
export const retention: Record<string, Retention> = {
  idempotency_keys: {
    after: '48 hours',
    where: 't.started_at < now() - :age',
    oldest: 't.started_at',
    batch: 500,
    because: 'Names of requests are promised for two days.',
  },
  rate_limits: {
    after: '1 hour',
    where: 't.busy_until < now() - :age',
    oldest: 't.busy_until',
    batch: 1000,
    because: 'Who has earned back all that was taken is like somebody new.',
  },
  webhook_deliveries: {
    after: '30 days',
    where: 't.next_at is null and t.created_at < now() - :age',
    oldest: 't.id',
    batch: 500,
    because: 'Taken, or given up: their owner has had a month to look at them.',
  },
  run_events: {
    after: '90 days',
    where: `t.kind = 'point' and exists (select 1 from runs r where r.id = t.run_id and r.ended_at < now() - :age)`,
    oldest: 't.run_id, t.ordinal',
    batch: 1000,
    because:
      'Figures of each point, which the run itself and its submissions have as well. Its states and its end stay.',
  },
  endpoint_usage: {
    after: '90 days',
    where: 't.day < (now() - :age)::date',
    oldest: 't.endpoint_id, t.day',
    batch: 1000,
    because: 'Budgets are those of one day.',
  },
  target_usage: {
    after: '90 days',
    where: 't.day < (now() - :age)::date',
    oldest: 't.target, t.day',
    batch: 1000,
    because: 'Budgets are those of one day.',
  },
  target_leases: {
    after: '1 hour',
    where: 't.until < now() - :age',
    oldest: 't.until',
    batch: 1000,
    because: 'Left by processes that died; they count for seconds.',
  },
  accounts: { kept: 'Whose submissions they are.' },
  api_keys: { kept: 'Few, and which key did what can be told after it was revoked.' },
  audit_log: { kept: 'Who did what with a key that may administer; the database refuses to remove it.' },
  concerns: {
    kept: 'What readers doubted, what its owner said, and how it was decided; of strangers nothing that tells who they were.',
  },
  artifacts: { kept: 'Every number leads back to the bytes it came from.' },
  catalogue_entries: { kept: 'Names of stored results are understood by them.' },
  data_versions: { kept: 'A few counters.' },
  endpoints: { kept: 'Runs refer to them; the credential of a removed one is gone.' },
  boards: { kept: 'One for each metric, workload and formula.' },
  board_rows: { kept: 'Replaced in place, with the statistics of their points.' },
  board_figures: { kept: 'Replaced in place, with the statistics of their points.' },
  board_points: { kept: 'Replaced in place, with the statistics of their points.' },
  board_systems: { kept: 'Counts, as many as there are models and GPUs on each board.' },
  board_totals: { kept: 'Counts, as many as there are kinds of points.' },
  point_shapes: { kept: 'One for each set of metrics that points have.' },
  tool_scatter: { kept: 'Sums, one for each tool, metric and formula.' },
  point_statistics: { kept: 'Replaced in place: as many as there are points.' },
  points: { kept: 'Results stand at them.' },
  price_lists: { kept: 'Few, and which prices counted when.' },
  rederivations: { kept: 'Who changed figures, and when.' },
  result_anchors: { kept: 'A copy is a copy of the oldest too.' },
  regression_checks: { kept: 'Each is removed when somebody has looked.' },
  request_sequences: { kept: 'A copy is a copy of the oldest too.' },
  result_versions: { kept: 'Figures as they once were answered.' },
  results: { kept: 'What this is for.' },
  reviews: { kept: 'Who let what onto the boards, and why.' },
  run_points: { kept: 'What a run measured; the records on their way are cleared when they are stored.' },
  runs: { kept: 'Submissions refer to them.' },
  scenarios: { kept: 'Points stand in them.' },
  schedules: { kept: 'Runs refer to them.' },
  settings: { kept: 'A few facts of the installation.' },
  submissions: { kept: 'Permanent links.' },
  systems: { kept: 'Permanent links.' },
  told_regressions: { kept: 'Nobody is told twice of one change.' },
  webhooks: { kept: 'Deliveries refer to them; the secret of a removed one is gone.' },
};

/** The rules by which rows are removed, by their table. */
export const removals: readonly (Removal & { table: string })[] = Object.entries(retention).flatMap(([table, rule]) =>
  'kept' in rule ? [] : [{ table, ...rule }],
);
