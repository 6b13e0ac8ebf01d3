import { defineMetric } from './metric.ts';

/** Scores of a model's responses in evaluations. Task, metric and number of examples are part of the workload. */
const quality = { kind: 'quality', statistics: null, definitions: [], derived: false, needs: [] } as const;

export const score = defineMetric({
  ...quality,
  base: 'score',
  title: 'Score',
  unit: '',
  direction: 'higher',
  description: 'Score of an evaluation as a fraction of the maximum: accuracy, exact match, ROUGE. 1 is perfect.',
  formula: 'mean over the items of the task, as the tool scores them',
  glossary:
    'How well a model answered the items of a task, as a share of the best possible. The task, the extraction of answers and the number of examples in the prompt decide what counts as correct, so compare scores only if all of these are the same. The interval comes from the number of items: two quantizations a point apart on a thousand questions may be equally good.',
  prerequisites: ['task, metric and number of examples'],
});

export const perplexity = defineMetric({
  ...quality,
  base: 'perplexity',
  title: 'Perplexity',
  unit: '',
  direction: 'lower',
  description:
    'How well the model predicts a text: the exponential of the mean negative log-likelihood per token. Lower is better.',
  formula: 'exp(-mean log p(token))',
  glossary:
    'How well a model predicts a given text, token by token; 1 would be certainty. Text, tokenizer and window decide the number, so it is mostly useful to compare quantizations of one model. A low perplexity does not imply good long answers or reasoning.',
  prerequisites: ['the text', 'tokens of a window'],
});

export const klDivergence = defineMetric({
  ...quality,
  base: 'kl_divergence',
  title: 'KL divergence',
  unit: '',
  direction: 'lower',
  description:
    'Mean divergence of the next-token distributions from those of the unquantized model, in nats; 0 is no difference.',
  formula: 'mean of sum p log(p / q) over tokens, p of the unquantized model',
  glossary:
    'What quantization changed, token by token: the divergence of the predicted distribution from that of the original weights on the same text. It detects smaller errors than perplexity, in which errors in both directions cancel out. The text, the window and the reference have to be the same.',
  prerequisites: ['the text', 'logits of the unquantized model'],
});
