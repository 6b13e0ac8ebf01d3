import type { Match } from './filters.ts';

/** The score that a system's model must reach in its quantization, in every variant of the task. */
export interface QualityBound {
  /** As `taskKey` writes it. */
  task: string;
  /** A share of the full score, or a share of what a quantization of the same model scores. */
  least: { score: number } | { share: number; of: Match };
}

/** Tasks that questions name; an address may name any other. */
export const knownTasks = [
  ...['gsm8k', 'gsm8k_cot', 'mmlu', 'mmlu_pro', 'hellaswag', 'winogrande', 'arc_challenge', 'arc_easy'],
  ...['truthfulqa_mc2', 'gpqa_diamond', 'ifeval', 'humaneval', 'mbpp', 'math_500', 'aime24', 'aime25', 'boolq', 'piqa'],
] as const;

/** The form in which two spellings of a task are one. */
export const taskKey = (task: string) => task.toLowerCase().replace(/[-_ ]/g, '');

const share = String.raw`(?:0?\.\d{1,12}|[01](?:\.\d{1,12})?|\d{1,3}(?:\.\d{1,12})?%)`;
const name = String.raw`[\w.-]{1,80}`;

export const minQuality = new RegExp(`^(${name}):(${share})$`);
export const qualityWithin = new RegExp(`^(${name}):(?:(${name}):)?(${share})$`);

/** "0.75" and "75%" are one share. */
export const readShare = (text: string): number =>
  text.endsWith('%') ? Number(`${text.slice(0, -1)}e-2`) : Number(text);

/** `gsm8k:0.75`: at least that share of the full score. */
export function readMinQuality(text: string): QualityBound {
  const [, task = '', least = ''] = minQuality.exec(text) ?? [];
  return { task: taskKey(task), least: { score: readShare(least) } };
}

/** `gsm8k:bf16:1%`: no more than that share below what the quantization of the same model scores; bf16 if none is named. */
export function readQualityWithin(text: string, match: (quantization: string) => Match): QualityBound {
  const [, task = '', of = 'bf16', below = ''] = qualityWithin.exec(text) ?? [];
  return { task: taskKey(task), least: { share: 1 - readShare(below), of: match(of) } };
}
