import type { Fact, Metrics, ParsedResult, ScenarioFacts } from '../../adapters/adapter.ts';
import { resolveScenario as resolveNamed } from '../../catalogue/index.ts';
import type { Finding } from '../../checks/check.ts';
import type { Fault } from '../../errors.ts';
import type { Load } from '../../subjects/load.ts';
import { type MeasuredLengths, type QualityTask, type Scenario, unnamedText } from '../../subjects/scenario.ts';
import { inDivision } from '../../workloads/open-division.ts';
import { unspecifiedShape } from '../../workloads/shape-name.ts';
import { mergeFact } from '../merge.ts';
import type { Parameters } from '../parameters.ts';
import { agreeOnDataSet, agreeOnScenario } from './agree.ts';
import { workloadNameFaults } from './check-names.ts';

/** Derives a kernel's scenario id from its case: "Sliding Window 1024" is `sliding-window-1024`. */
function caseId(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const id = words?.join('-') ?? unspecifiedShape;
  return id === 'custom' ? 'custom-case' : id;
}

/** Derives an evaluation's workload id: `gsm8k-exact-match-strict-match-5-shot`. */
function taskId({ task, metric, variant, fewShot, context }: QualityTask): string {
  const parts = [task, task === metric ? null : metric, variant, fewShot === null ? null : `${fewShot} shot`];
  return caseId([...parts, context === null ? null : `${context} tokens`].filter((part) => part !== null).join(' '));
}

/** Older clients sent `custom` for a missing name. */
const namedBy = (name: string | undefined) => (name?.trim().toLowerCase() === 'custom' ? undefined : name);

/** The numbers define the workload; the unknown name becomes a finding. */
function unknownNameFindings(name: string | null): Finding[] {
  if (name === null) return [];
  const message = `"${name}" is not a scenario of the catalogue. The result is named by its numbers.`;
  return [{ code: 'scenario_name_unknown', severity: 'info', message, evidence: { scenario: name } }];
}

/** Mean lengths from a run's totals; null if they are unknown. */
function countedLengths({ input_tokens, output_tokens, requests_ok }: Metrics): MeasuredLengths {
  const mean = (total: number | undefined) => (total && requests_ok ? total / requests_ok : null);
  return { inputTokens: mean(input_tokens), outputTokens: mean(output_tokens) };
}

/** A requested length is an integer; any other value is a mean. */
function isAsked(fact: Fact<number> | null): boolean {
  return fact === null || Number.isInteger(fact.value);
}

/** Separates requested lengths from measured means. */
function splitLengths({ inputTokens, outputTokens, lengths }: ScenarioFacts) {
  const means: MeasuredLengths = {
    inputTokens: lengths?.inputTokens ?? (isAsked(inputTokens) ? null : (inputTokens?.value ?? null)),
    outputTokens: lengths?.outputTokens ?? (isAsked(outputTokens) ? null : (outputTokens?.value ?? null)),
  };
  return {
    asked: {
      inputTokens: isAsked(inputTokens) ? inputTokens : null,
      outputTokens: isAsked(outputTokens) ? outputTokens : null,
    },
    measured: means.inputTokens === null && means.outputTokens === null ? null : means,
  };
}

/** Resolves the workload of an evaluation. The caller may name a text that the tool does not name as the data set. */
function resolveQuality(asked: QualityTask, facts: ScenarioFacts, given: Parameters): ResolvedWorkload {
  const dataset = mergeFact('dataset', given.dataset, facts.dataset, agreeOnDataSet);
  const task = { ...asked, task: asked.task === unnamedText ? (dataset.value ?? asked.task) : asked.task };
  const scenario = {
    id: taskId(task),
    ...{ inputTokens: null, outputTokens: null, dataset: dataset.value, depth: null, kernel: null },
    quality: task,
  };
  const unused = (['scenario', 'input_tokens', 'output_tokens'] as const).filter((name) => given[name] !== undefined);
  const faults = unused.map((parameter) => ({
    code: 'parameter_unused',
    parameter,
    message: `${parameter} does not apply to an evaluation: its task and metric are its workload.`,
    hint: `Omit ${parameter}.`,
  }));
  return {
    scenario,
    lengths: null,
    faults: [...(dataset.fault ? [dataset.fault] : []), ...faults, ...workloadNameFaults(scenario, null)],
    findings: dataset.finding ? [dataset.finding] : [],
  };
}

interface ResolvedWorkload {
  scenario: Scenario;
  lengths: MeasuredLengths | null;
  faults: Fault[];
  findings: Finding[];
}

/**
 * Resolves the workload of one result from its artifact and its submitter's facts. Reports all faults at once.
 *
 * @param metrics figures of the result, whose totals give mean lengths if no other source does
 */
export function resolveWorkload(
  parsed: ParsedResult,
  load: Load,
  given: Parameters,
  metrics: Metrics = parsed.metrics,
): ResolvedWorkload {
  const { scenario: facts } = parsed;
  if (facts.quality !== undefined) return resolveQuality(facts.quality, facts, given);
  if (facts.kernel !== null) {
    const unused = (['scenario', 'input_tokens', 'output_tokens', 'dataset'] as const).filter(
      (name) => given[name] !== undefined,
    );
    const scenario = {
      id: caseId(facts.kernel.case),
      inputTokens: null,
      outputTokens: null,
      dataset: null,
      depth: null,
      kernel: facts.kernel,
    };
    const faults = unused.map((parameter) => ({
      code: 'parameter_unused',
      parameter,
      message: `${parameter} does not apply to a kernel: its case and shape are its workload.`,
      hint: `Omit ${parameter}.`,
    }));
    return { scenario, lengths: null, faults: [...faults, ...workloadNameFaults(scenario, null)], findings: [] };
  }
  const name = mergeFact('scenario', namedBy(given.scenario), facts.name, agreeOnScenario);
  const { asked, measured } = splitLengths(facts);
  const inputTokens = mergeFact('input_tokens', given.input_tokens, asked.inputTokens);
  const outputTokens = mergeFact('output_tokens', given.output_tokens, asked.outputTokens);
  const dataset = mergeFact('dataset', given.dataset, facts.dataset, agreeOnDataSet);
  const { scenario, fault, unknownName } = resolveNamed(
    {
      name: name.value,
      inputTokens: inputTokens.value,
      outputTokens: outputTokens.value,
      dataset: dataset.value,
      depth: facts.depth,
      counted: countedLengths(metrics),
      ...(measured === null ? {} : { measured }),
    },
    // A named batch shape neither matches nor contradicts an unknown load.
    load.mode === 'unspecified' ? null : load,
  );
  const merged = [name, inputTokens, outputTokens, dataset];
  const division = {
    features: { ...parsed.system.features, ...given.features },
    title: parsed.source?.title ?? given.source_title ?? null,
  };
  return {
    scenario: inDivision(scenario, division),
    lengths: measured,
    faults: [
      ...merged.flatMap((m) => (m.fault ? [m.fault] : [])),
      ...(fault ? [fault] : []),
      ...workloadNameFaults(scenario, name.value),
    ],
    findings: [...merged.flatMap((m) => (m.finding ? [m.finding] : [])), ...unknownNameFindings(unknownName)],
  };
}
