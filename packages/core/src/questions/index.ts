export { type EnergyUnit, inUnitOfEnergy, isEnergyUse } from './energy.ts';
export { computeFit, type FitAnswer, type FitRow, fitRule, gpusOfMemory, memoryOf, requestsOf } from './fit.ts';
export { offersFor } from './offers.ts';
export { parseQuestion } from './parse.ts';
export {
  defaultRank,
  type Question,
  type QuestionFilters,
  questionKinds,
  type RankName,
  type Subject,
  subjects,
} from './question.ts';
export { toParameters } from './to-parameters.ts';
export { toWords } from './to-words.ts';
