import { findModel } from '../../catalogue/index.ts';
import { type Check, figure, unchecked } from '../check.ts';

const title = 'The parameter count is that of the model';
/** Vision parts, drafting layers and embeddings are counted by some and not by others. */
const ratioMost = 1.3;

export const p10ParameterCount: Check = {
  id: 'P10',
  code: 'parameter_count_contradicts',
  title,
  rule:
    `The parameter count that the tool prints may be at most ${ratioMost} times that of the model in the catalogue, and at least that divided by ${ratioMost}. ` +
    'Another count is a violation: another model was measured.',
  check({ result: { system, extra } }) {
    const { params } = extra;
    if (typeof params !== 'number' || !(params > 0)) return 'not_applicable';
    const model = system.model.id === null ? null : findModel(system.model.id);
    if (model === null) return unchecked(title, ['the model in the catalogue']);
    const expected = model.paramsTotalB * 1e9;
    if (params <= ratioMost * expected && expected <= ratioMost * params) return 'pass';
    return [
      {
        severity: 'violation',
        message: `The tool printed ${figure(params / 1e9)} billion parameters, but ${model.name} has ${figure(model.paramsTotalB)}: another model was measured. Send the results of each model separately.`,
        evidence: { parameters: params, model: model.id, model_parameters: expected },
      },
    ];
  },
};
