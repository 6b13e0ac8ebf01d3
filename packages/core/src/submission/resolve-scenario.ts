import type { ParsedResult } from '../adapters/adapter.ts';
import { resolveScenario as resolveNamed } from '../catalogue/index.ts';
import type { Finding } from '../checks/check.ts';
import type { Fault } from '../errors.ts';
import type { Load } from '../load.ts';
import type { Scenario } from '../scenario.ts';
import { agreeOnDataSet, agreeOnScenario } from './agree.ts';
import { workloadNameFaults } from './check-names.ts';
import { mergeFact } from './merge.ts';
import type { Parameters } from './parameters.ts';

/** A kernel's case names its scenario: "Sliding Window 1024" is `sliding-window-1024`. */
function caseId(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words?.join('-') ?? 'custom';
}

/** The numbers count; the name they were given under is kept as a remark. */
function unknownNameFindings(name: string | null): Finding[] {
  if (name === null) return [];
  const message = `"${name}" is no scenario of the catalogue: the result stands under its numbers.`;
  return [{ code: 'scenario_name_unknown', severity: 'info', message, evidence: { scenario: name } }];
}

/** The workload of one result from what its artifact and its submitter say. All faults at once. */
export function resolveWorkload(
  parsed: ParsedResult,
  load: Load,
  given: Parameters,
): { scenario: Scenario; faults: Fault[]; findings: Finding[] } {
  const { scenario: facts } = parsed;
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
      message: `${parameter} says nothing about a kernel: its case and shape are its workload.`,
      hint: `Leave ${parameter} away.`,
    }));
    return { scenario, faults: [...faults, ...workloadNameFaults(scenario, null)], findings: [] };
  }
  const name = mergeFact('scenario', given.scenario, facts.name, agreeOnScenario);
  const inputTokens = mergeFact('input_tokens', given.input_tokens, facts.inputTokens);
  const outputTokens = mergeFact('output_tokens', given.output_tokens, facts.outputTokens);
  const dataset = mergeFact('dataset', given.dataset, facts.dataset, agreeOnDataSet);
  const { scenario, fault, unknownName } = resolveNamed(
    {
      name: name.value,
      inputTokens: inputTokens.value,
      outputTokens: outputTokens.value,
      dataset: dataset.value,
      depth: facts.depth,
    },
    // A named batch shape neither fits nor contradicts a load that nobody tells.
    load.mode === 'unspecified' ? null : load,
  );
  const merged = [name, inputTokens, outputTokens, dataset];
  return {
    scenario,
    faults: [
      ...merged.flatMap((m) => (m.fault ? [m.fault] : [])),
      ...(fault ? [fault] : []),
      ...workloadNameFaults(scenario, name.value),
    ],
    findings: [...merged.flatMap((m) => (m.finding ? [m.finding] : [])), ...unknownNameFindings(unknownName)],
  };
}
