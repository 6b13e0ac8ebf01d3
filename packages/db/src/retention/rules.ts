/** When to remove rows of a table. */
interface Removal {
  /** Retention period as a PostgreSQL interval. */
  after: string;
  /** SQL condition on rows of the table `t` older than `:age`. */
  where: string;
  /** Sort key that puts the oldest rows first and uses an index. */
  oldest: string;
  /** Rows per statement. */
  batch: number;
  because: string;
}

/** The retention of a table: either a removal rule, or the reason to keep all rows. */
export type Retention = Removal | { kept: string };

/** All tables. A test fails for tables that are missing here, so that unlimited growth is a deliberate decision. */
export const retention: Record<string, Retention> = {
  idempotency_keys: {
    after: '48 hours',
    where: 't.started_at < now() - :age',
    oldest: 't.started_at',
    batch: 500,
    because: 'Idempotency keys are valid for two days.',
  },
  rate_limits: {
    after: '1 hour',
    where: 't.busy_until < now() - :age',
    oldest: 't.busy_until',
    batch: 1000,
    because: 'A fully restored quota equals a new one.',
  },
  webhook_deliveries: {
    after: '30 days',
    where: 't.next_at is null and t.created_at < now() - :age',
    oldest: 't.id',
    batch: 500,
    because: 'Finished deliveries: their owner has had a month to read them.',
  },
  run_events: {
    after: '90 days',
    where: `t.kind = 'point' and exists (select 1 from runs r where r.id = t.run_id and r.ended_at < now() - :age)`,
    oldest: 't.run_id, t.ordinal',
    batch: 1000,
    because: 'Figures of each point, which the run and its submissions also have. Its states and its end are kept.',
  },
  run_shares: {
    after: '1 hour',
    where: 'exists (select 1 from runs r where r.id = t.run_id and r.ended_at < now() - :age)',
    oldest: 't.run_id, t.share',
    batch: 10,
    because: 'Left by workers that crashed; a run removes its shares at its end.',
  },
  endpoint_usage: {
    after: '90 days',
    where: 't.day < (now() - :age)::date',
    oldest: 't.endpoint_id, t.day',
    batch: 1000,
    because: 'Budgets are for one day.',
  },
  target_usage: {
    after: '90 days',
    where: 't.day < (now() - :age)::date',
    oldest: 't.target, t.day',
    batch: 1000,
    because: 'Budgets are for one day.',
  },
  target_leases: {
    after: '1 hour',
    where: 't.until < now() - :age',
    oldest: 't.until',
    batch: 1000,
    because: 'Left by processes that crashed; they are valid for seconds.',
  },
  sessions: {
    after: '1 hour',
    where: 't.expires_at < now() - :age',
    oldest: 't.expires_at',
    batch: 1000,
    because: 'An expired session has no effect.',
  },
  sign_in_links: {
    after: '1 hour',
    where: 't.expires_at < now() - :age',
    oldest: 't.expires_at',
    batch: 1000,
    because: 'An expired link has no effect.',
  },
  submission_claims: {
    after: '1 hour',
    where: 't.expires_at < now() - :age',
    oldest: 't.expires_at',
    batch: 1000,
    because: 'A claim link is valid for 30 days.',
  },
  api_keys: {
    after: '90 days',
    // A revoked ADMIN_KEY is from a start and has no name. It stays, because the next start with it would make it valid again.
    where: `least(t.revoked_at, t.expires_at) < now() - :age and (not t.from_start or t.name is not null)
      and not exists (select 1 from sessions s where s.key_id = t.id)
      and not exists (select 1 from sign_in_links l where l.key_id = t.id)`,
    oldest: 't.id',
    batch: 500,
    because: 'Revoked and expired keys are not needed: the audit log keeps what was done with them.',
  },
  accounts: { kept: 'The owners of submissions.' },
  audit_log: { kept: 'The audit log of admin keys; the database rejects its removal.' },
  concerns: {
    kept: 'Reports of readers, answers of owners, and decisions; no data that identifies anonymous reporters.',
  },
  artifacts: { kept: 'Every number links to the data it came from.' },
  catalogue_entries: { kept: 'Names of stored results resolve to them.' },
  data_versions: { kept: 'A few counters.' },
  endpoints: { kept: 'Runs refer to them. The credential of a removed endpoint is deleted.' },
  boards: { kept: 'One for each metric, workload and formula.' },
  board_rows: { kept: 'Replaced in place, with the statistics of their points.' },
  board_figures: { kept: 'Replaced in place, with the statistics of their points.' },
  board_firsts: { kept: 'One for each board by a default metric; replaced in place.' },
  board_points: { kept: 'Replaced in place, with the statistics of their points.' },
  board_systems: { kept: 'Counts, as many as there are models and GPUs on each board.' },
  board_totals: { kept: 'Counts, as many as there are kinds of points.' },
  point_shapes: { kept: 'One for each set of metrics that points have.' },
  tool_scatter: { kept: 'Sums, one for each tool, metric and formula.' },
  point_statistics: { kept: 'Replaced in place: as many as there are points.' },
  points: { kept: 'Results refer to them.' },
  price_lists: { kept: 'Few, and needed to know past prices.' },
  rederivations: { kept: 'The history of changed figures.' },
  result_anchors: { kept: 'Needed to detect copies, even of the oldest results.' },
  regression_checks: { kept: 'Each is removed after a review.' },
  request_sequences: { kept: 'Needed to detect copies, even of the oldest results.' },
  result_versions: { kept: 'Figures of earlier responses.' },
  results: { kept: 'The purpose of the service.' },
  reviews: { kept: 'The reviews of held results, with reasons.' },
  run_points: { kept: 'Measurements of a run; records in transit are cleared when they are stored.' },
  runs: { kept: 'Submissions refer to them.' },
  scenarios: { kept: 'Points refer to them.' },
  schedules: { kept: 'Runs refer to them.' },
  settings: { kept: 'A few facts of the installation.' },
  signing_keys: { kept: 'Signatures of submissions refer to them.' },
  submission_signatures: { kept: 'Readers can verify them at any time.' },
  submissions: { kept: 'Permanent links.' },
  systems: { kept: 'Permanent links.' },
  told_regressions: { kept: 'Each change is reported only once.' },
  webhooks: { kept: 'Deliveries refer to them. The secret of a removed webhook is deleted.' },
};

/** The removal rules by table. */
export const removals: readonly (Removal & { table: string })[] = Object.entries(retention).flatMap(([table, rule]) =>
  'kept' in rule ? [] : [{ table, ...rule }],
);
