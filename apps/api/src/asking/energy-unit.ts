import { energyPerToken, type Question } from '@inferboard/core/questions/index';
import { energyName } from './sentences.ts';

interface Ranked {
  rank_by: string;
  unit: string;
  order: 'asc' | 'desc';
}

/** The answer as its sentences state it: in energy per token, if the question names it instead of tokens per joule. */
export function inEnergyUnit<Entry extends { value: number }, Answer extends Ranked & { data: Entry[] }>(
  answer: Answer,
  question: Pick<Question, 'energyUnit'> | null,
): Answer {
  const unit = question?.energyUnit ?? null;
  if (unit === null || answer.rank_by !== 'tok_per_joule') return answer;
  const order = answer.order === 'asc' ? 'desc' : 'asc';
  const data = answer.data.map((entry) => ({ ...entry, value: energyPerToken(entry.value, unit) }));
  return { ...answer, rank_by: energyName, unit, order, data };
}
