import { inUnitOfEnergy, isEnergyUse, type Question } from '@inferboard/core/questions/index';
import { energyName } from './sentences.ts';

interface Ranked {
  rank_by: string;
  unit: string;
  order: 'asc' | 'desc';
}

/** The answer as its sentences state it: in the unit of energy that the question names, if any, instead of tokens per joule. */
export function inEnergyUnit<Entry extends { value: number }, Answer extends Ranked & { data: Entry[] }>(
  answer: Answer,
  question: Pick<Question, 'energyUnit'> | null,
): Answer {
  const unit = question?.energyUnit ?? null;
  if (unit === null || answer.rank_by !== 'tok_per_joule') return answer;
  const data = answer.data.map((entry) => ({ ...entry, value: inUnitOfEnergy(entry.value, unit) }));
  if (!isEnergyUse(unit)) return { ...answer, unit, data };
  const order = answer.order === 'asc' ? 'desc' : 'asc';
  return { ...answer, rank_by: energyName, unit, order, data };
}
