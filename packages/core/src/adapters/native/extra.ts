import type { ReaderNote } from '../adapter.ts';
import type { NativeResult } from './schema.ts';

/** Facts about the load generator, for the corresponding check. */
export function generatorFacts({ generator }: NativeResult): Record<string, string | number> {
  if (generator == null) return {};
  const {
    late_ms_p99: late,
    dropped,
    limited,
    retried,
    session,
    cut_short: cut,
    prompts,
    traffic,
    workers,
  } = generator;
  return {
    ...(late == null ? {} : { generator_late_ms_p99: late }),
    ...(dropped == null ? {} : { generator_dropped: dropped }),
    ...(limited == null ? {} : { generator_limited: limited.join('; ') }),
    ...(retried == null ? {} : { generator_retried: retried }),
    ...(workers == null ? {} : { generator_workers: workers.count }),
    ...(workers?.clock_error_ms == null ? {} : { generator_clock_error_ms: workers.clock_error_ms }),
    ...(prompts == null
      ? {}
      : {
          prompts_seed: prompts.seed,
          prompts_salt: prompts.salt,
          prompts_bodies_sha256: prompts.bodies_sha256,
        }),
    ...(traffic == null ? {} : { traffic_seed: traffic.seed, traffic_bodies_sha256: traffic.bodies_sha256 }),
    ...(session == null ? {} : { session: session.id, session_server: session.server }),
    ...(cut == null ? {} : { cut_short: cut.reason, requests_planned: cut.planned_requests }),
  };
}

/** What the load generator read from the server and its machine, by names that begin with `detected_`. */
export function detectedFacts({ detected }: NativeResult): Record<string, string | number> {
  const facts = Object.entries(detected ?? {}).filter((entry): entry is [string, string | number] => entry[1] != null);
  return Object.fromEntries(facts.map(([fact, value]) => [`detected_${fact}`, value]));
}

export const multiTurnNote: ReaderNote = {
  code: 'multi_turn',
  severity: 'info',
  message: 'The requests were turns of conversations: each includes the previous turns.',
  evidence: {},
};

/** What the load generator noted about its measurement, as remarks on the result. */
export function generatorRemarks({ generator }: NativeResult): ReaderNote[] {
  const { retried, notes } = generator ?? {};
  const remarks: ReaderNote[] = (notes ?? []).map((text) => ({
    code: 'generator_note',
    severity: 'info',
    message: `Note of the load generator: ${text.replace(/\.$/, '')}.`,
    evidence: {},
  }));
  if (retried == null || retried === 0) return remarks;
  const message = `Requests that were sent twice, because the server had closed the connection: ${retried}. Their TTFT includes that time.`;
  return [{ code: 'requests_retried', severity: 'info', message, evidence: { retried } }, ...remarks];
}
