import { isModelName } from '../catalogue/models.ts';
import { quantizationHint } from '../catalogue/names/quantization-hint.ts';
import type { Fact, ParsedResult } from './adapter.ts';
import { modelFacts } from './reading/context/model-name.ts';
import { namesOtherModel } from './reading/context/named-model.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';
import { factIn, gpuCountIn, powerLimitIn, type Section, sectionAt } from './reading/text/sections.ts';

/** A heading that is only the name of a model, as a repository or as in the catalogue: "Qwen3-0.6B", "Qwen3-30B-A3B (MoE)". */
function modelIn(title: string): string | null {
  const name = title.replace(/ \(\w{2,12}\)$/, '');
  return /^[A-Za-z][\w.-]*\/[\w.-]*\d[\w.-]*$/.test(name) || (/\d/.test(name) && isModelName(name)) ? name : null;
}

/** A heading that is only a quantization: "bf16", "Q4_K_M". */
const quantizationIn = (title: string) => (quantizationHint(title) === title ? title : null);

/** Facts that a heading only suggests: a query parameter wins. */
const inferred = (value: string | null): Fact<string> | null => (value === null ? null : { value, origin: 'inferred' });

/**
 * The model in a heading, unless the text below it names another one. Tables that print the kind of their model, such as those
 * of llama-bench, may be of another one too.
 */
function headingModel(artifact: ArtifactText, result: ParsedResult, section: Section | null): string | null {
  if (Object.hasOwn(result.extra, 'printed_model')) return null;
  return factIn(section, (title, line) => {
    const model = modelIn(title);
    return model === null || namesOtherModel(artifact, line + 1, result.lines.from - 1, model) ? null : model;
  });
}

/**
 * Adds facts from the headings above a result that the tool does not print: the power limit, the number of GPUs, the model
 * and its quantization.
 */
export function withHeading(artifact: ArtifactText, result: ParsedResult, sections: readonly Section[]): ParsedResult {
  if (sections.length === 0) return result;
  const { system } = result;
  const section = sectionAt(sections, result.lines.from);
  const watts = system.gpuPowerLimitW === null ? powerLimitIn(section) : null;
  const gpus = system.gpuCount === null ? gpuCountIn(section) : null;
  const isServing = result.kind === 'serving';
  const named =
    isServing && system.model === null ? modelFacts(headingModel(artifact, result, section), 'inferred') : null;
  const quantization =
    isServing && system.quantization === null
      ? (named?.quantization ?? inferred(factIn(section, quantizationIn)))
      : null;
  if (watts === null && gpus === null && named?.model == null && quantization === null) return result;
  return {
    ...result,
    system: {
      ...system,
      ...(watts === null ? {} : { gpuPowerLimitW: { value: watts, origin: 'context' } }),
      ...(gpus === null ? {} : { gpuCount: { value: gpus, origin: 'context' } }),
      ...(named?.model == null ? {} : { model: named.model }),
      ...(quantization === null ? {} : { quantization }),
    },
  };
}
