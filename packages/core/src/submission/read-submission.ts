import type { ParsedResult } from '../adapters/adapter.ts';
import { type ArtifactReading, readArtifact } from '../adapters/index.ts';
import { checkResult, statusOf } from '../checks/index.ts';
import { deriveMetrics } from '../derive/index.ts';
import { DomainError, type Fault } from '../errors.ts';
import type { Load } from '../load.ts';
import type { CheckedResult, Result } from '../result.ts';
import type { Parameters } from './parameters.ts';
import { resolveWorkload } from './resolve-scenario.ts';
import { resolveSystem } from './resolve-system.ts';

/** An artifact read, resolved, checked and derived: everything about a submission but where it is stored. */
export interface ReadSubmission {
  tool: ArtifactReading['tool'];
  mediaType: string;
  ignored: string[];
  results: CheckedResult[];
}

const faultsMax = 100;

/** Results of the same point in one artifact are its repetitions, in order of appearance. */
const faultKey = (fault: Fault) => `${fault.code} ${fault.parameter ?? ''} ${fault.message}`;

function resolveLoad(parsed: ParsedResult): { load: Load; faults: Fault[] } {
  if (parsed.load !== null) return { load: parsed.load, faults: [] };
  return {
    load: { mode: 'batch', level: 1 },
    faults: [
      {
        code: 'load_missing',
        line: parsed.lines.from,
        message: 'The artifact does not tell how the load was made (concurrency, burst, rate or batch).',
        hint: 'Submit the whole output of the tool, with the command line or the configuration it prints before the result.',
      },
    ],
  };
}

function resolveResult(
  parsed: ArtifactReading['results'][number],
  given: Parameters,
): { result: CheckedResult; faults: Fault[] } {
  const { load, faults: loadFaults } = resolveLoad(parsed);
  const system = resolveSystem(parsed, given);
  const workload = resolveWorkload(parsed, load, given);
  const result: Result = {
    kind: parsed.kind,
    tool: parsed.tool,
    system: system.system,
    scenario: workload.scenario,
    load,
    repetition: parsed.repetition,
    metrics: parsed.metrics,
    definitions: parsed.definitions,
    repeats: parsed.repeats,
    extra: parsed.extra,
    measuredAt: parsed.measuredAt ?? given.measured_at ?? null,
    lines: parsed.lines,
  };
  const findings = [...parsed.notes, ...system.findings, ...workload.findings, ...checkResult(result)];
  const { derived, definitions } = deriveMetrics(result);
  return {
    result: {
      ...result,
      definitions: { ...definitions, ...result.definitions },
      derived,
      findings,
      status: statusOf(findings),
    },
    faults: [...loadFaults, ...system.faults, ...workload.faults],
  };
}

/** Faults that every line shares are told once, without a line. */
function distinct(faults: Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [faultKey(fault), fault])).values()].slice(0, faultsMax);
}

/**
 * From bytes and the caller's word to checked results. All land or none does.
 *
 * @throws DomainError `tool_unrecognised`, `artifact_unreadable`, `facts_missing`, `facts_contradict` ... with every fault
 */
export function readSubmission(bytes: Uint8Array, given: Parameters): ReadSubmission {
  const reading = readArtifact(bytes, given.tool === undefined ? {} : { tool: given.tool });
  const outcomes = reading.results.map((parsed) => resolveResult(parsed, given));
  const faults = distinct(outcomes.flatMap((outcome) => outcome.faults));
  if (faults.length > 0) {
    const contradicts = faults.some((fault) => fault.code === 'facts_contradict');
    throw new DomainError(
      contradicts ? 'facts_contradict' : 'facts_missing',
      contradicts
        ? 'What the request says and what the artifact says do not fit together.'
        : 'The artifact was recognised, but it does not tell everything that is needed.',
      faults,
    );
  }
  const results = outcomes.map((outcome) => outcome.result);
  return { tool: reading.tool, mediaType: reading.mediaType, ignored: reading.ignored, results };
}
