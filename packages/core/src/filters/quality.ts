import type { Match } from './filters.ts';

/** The score that a system's model must reach in its quantization, in all variants of the task. */
export interface QualityBound {
  /** Normalized by `taskKey`. */
  task: string;
  /** A share of the full score, or a share of the score of another quantization of the same model. */
  least: { score: number } | { share: number; of: Match };
}

/** Tasks that questions can name. A URL may name any task. */
export const knownTasks = [
  ...['gsm8k', 'gsm8k_cot', 'mmlu', 'mmlu_pro', 'hellaswag', 'winogrande', 'arc_challenge', 'arc_easy'],
  ...['truthfulqa_mc2', 'gpqa_diamond', 'ifeval', 'humaneval', 'mbpp', 'math_500', 'aime24', 'aime25', 'boolq', 'piqa'],
] as const;

/** Normalizes spellings of a task. */
export const taskKey = (task: string) => task.toLowerCase().replace(/[-_ ]/g, '');

const share = String.raw`(?:0?\.\d{1,12}|[01](?:\.\d{1,12})?|\d{1,3}(?:\.\d{1,12})?%)`;
const name = String.raw`[\w.-]{1,80}`;

export const minQuality = new RegExp(`^(${name}):(${share})$`);
export const qualityWithin = new RegExp(`^(${name}):(?:(${name}):)?(${share})$`);

/** "0.75" and "75%" are equal. */
export const readShare = (text: string): number =>
  text.endsWith('%') ? Number(`${text.slice(0, -1)}e-2`) : Number(text);

/** `gsm8k:0.75` means at least that share of the full score. */
export function readMinQuality(text: string): QualityBound {
  const [, task = '', least = ''] = minQuality.exec(text) ?? [];
  return { task: taskKey(task), least: { score: readShare(least) } };
}

/** `gsm8k:bf16:1%` means at most that share below the score of the named quantization of the same model; default bf16. */
export function readQualityWithin(text: string, match: (quantization: string) => Match): QualityBound {
  const [, task = '', of = 'bf16', below = ''] = qualityWithin.exec(text) ?? [];
  return { task: taskKey(task), least: { share: 1 - readShare(below), of: match(of) } };
}

const scorePrefix = 'score:';

/** An axis of scores by a task: `score:gsm8k`. */
export const scoreAxis = new RegExp(`^${scorePrefix}(${name})$`);

/** The task of a score axis as written; null for any other axis. */
export const taskOfAxis = (axis: string): string | null => scoreAxis.exec(axis)?.[1] ?? null;

/** The axis of scores by a task. */
export const axisOfTask = (task: string): string => `${scorePrefix}${task}`;
