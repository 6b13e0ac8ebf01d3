export { type ParseOptions, parseQuestion } from './parse.ts';
export {
  defaultRank,
  type Interpretation,
  type Order,
  type Question,
  type QuestionFilters,
  type RankName,
  type Subject,
  subjects,
} from './question.ts';
export { toParameters } from './to-parameters.ts';
export { toWords } from './to-words.ts';
