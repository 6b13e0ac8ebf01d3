import type { Repeats } from '../../packages/core/src/adapters/adapter.ts';
import type { Sent, SystemFacts } from './world.ts';

/** The fields of a result in the API that the oracle uses. */
export interface ResultView {
  id: string;
  kind: string;
  status: string;
  system: { id: string; label: string };
  scenario: { id: string; input_tokens: number | null; output_tokens: number | null; dataset: string | null };
  load: { mode: string; level: number | null; burstiness: number | null };
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
  definitions: Record<string, string>;
  trust: string;
  tool: { name: string };
  repeats: Repeats | null;
  submission_id: string;
  copy_of: string | null;
}

export interface SubmissionView {
  id: string;
  status: string;
  created_at: string;
  account: { id: string; name: string };
  results: ResultView[];
}

/** One stored result: the submitted facts, and the acknowledged figures and findings. */
export interface Row {
  id: string;
  facts: SystemFacts;
  systemId: string;
  scenario: ResultView['scenario'];
  load: ResultView['load'];
  kind: string;
  /** System, scenario and load. */
  place: string;
  /** The same, plus the run if the load is not stated. */
  point: string;
  status: string;
  trust: string;
  /** Trust from its own evidence, without other accounts. */
  ownTrust: string;
  tool: string;
  account: { id: string; name: string };
  /** Milliseconds since 1970. */
  storedAt: number;
  isCopy: boolean;
  values: Record<string, number>;
  definitions: Record<string, string>;
  repeats: Repeats | null;
}

/** Points with unspecified loads are distinct; the run identifies them. */
function runOf({ kind, load, metrics, definitions, repeats }: ResultView): unknown[] {
  if (kind !== 'serving' || load.mode !== 'unspecified') return [];
  const isMeasured = (name: string) => name !== 'itl_ms_mean' || definitions.itl_ms?.startsWith('from_') !== true;
  return [
    Object.entries(metrics).filter(([name, value]) => value !== null && isMeasured(name)),
    repeats?.n ?? null,
    repeats?.sd ?? null,
  ];
}

export function toRow(view: ResultView, sent: Sent, submission: SubmissionView): Row {
  const { id, kind, status, system, scenario, load, definitions, trust, repeats } = view;
  const values = Object.entries({ ...view.metrics, ...view.derived }).filter(
    (entry): entry is [string, number] => entry[1] !== null,
  );
  return {
    id,
    facts: sent.system,
    systemId: system.id,
    scenario,
    load,
    kind,
    place: JSON.stringify([system.id, kind, scenario, load]),
    point: JSON.stringify([system.id, kind, scenario, load, ...runOf(view)]),
    status,
    trust,
    ownTrust: sent.isStated ? 'self_reported' : 'recomputed',
    tool: view.tool.name,
    account: submission.account,
    storedAt: Date.parse(submission.created_at),
    isCopy: view.copy_of !== null,
    values: Object.fromEntries(values),
    definitions,
    repeats,
  };
}
