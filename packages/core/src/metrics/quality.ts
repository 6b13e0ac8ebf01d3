import { defineMetric } from './metric.ts';

/** What evaluations find of a model's answers. Which task, metric and number of examples is part of the workload. */
const quality = { kind: 'quality', statistics: null, definitions: [], derived: false, needs: [] } as const;

export const score = defineMetric({
  ...quality,
  base: 'score',
  title: 'Score',
  unit: '',
  direction: 'higher',
  description: 'Share of a full score that an evaluation gives: accuracy, exact match, ROUGE. 1 is perfect.',
  formula: 'mean over the items of the task, as the tool scores them',
  glossary:
    'How well a model answered the items of a task, as a share of the best possible. What counts as right is decided by the task, the way answers are extracted and the number of examples in the prompt, so scores compare only where all of these are the same. The interval comes from the number of items: two quantizations a point apart on a thousand questions may be equally good.',
  prerequisites: ['task, metric and number of examples'],
});

export const perplexity = defineMetric({
  ...quality,
  base: 'perplexity',
  title: 'Perplexity',
  unit: '',
  direction: 'lower',
  description: 'How surprised the model is by a text: the exponential of the mean negative log-likelihood per token.',
  formula: 'exp(-mean log p(token))',
  glossary:
    'How well a model predicts a given text, token by token; 1 would be certainty. Text, tokenizer and window decide the number, so it compares quantizations of one model and hardly anything else. A low perplexity says little about long answers or reasoning.',
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
    'What quantization changed, token by token: the divergence of the predicted distribution from that of the original weights on the same text. It shows smaller damage than perplexity, which averages errors in both directions away. The text, the window and the reference have to be the same.',
  prerequisites: ['the text', 'logits of the unquantized model'],
});
