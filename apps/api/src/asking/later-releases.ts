import type { Question, QuestionFilters } from '@inferboard/core/questions/index';
import type { Deps } from '../deps.ts';
import { type Asked, answerBoard } from './answer-board.ts';

/** A complete version, such as 0.5.8. "0.5" means 0.5.x already. */
const complete = /^\d+(?:\.\d+){2,}$/u;

const versionsOf = ({ engine_version: versions }: QuestionFilters): string[] => [versions ?? []].flat().map(String);

/**
 * Includes the post releases of a version, such as 0.5.8.post1, if no stored result of the version matches the question.
 *
 * @param filters those of the question, or of one side of a comparison with the common ones
 * @returns the versions to ask for
 */
async function withPosts(deps: Deps, asked: Asked, question: Question, filters: QuestionFilters): Promise<string[]> {
  const versions = versionsOf(filters);
  if (!versions.some((version) => complete.test(version))) return versions;
  const hasResults = async (named: string[]) => {
    const plain = { ...question, subject: 'system' as const, limit: 1, filters: { ...filters, engine_version: named } };
    const { data } = await answerBoard(deps, { ...asked, question: plain, isFull: false, countsAll: false });
    return data.length > 0;
  };
  if (await hasResults(versions)) return versions;
  const wider = versions.map((version) => (complete.test(version) ? `${version}.x` : version));
  return (await hasResults(wider)) ? wider : versions;
}

/** Replaces versions without results by their post releases, in the filters, in the sides and in the interpretation. */
export async function withLaterReleases<T extends Question>(deps: Deps, asked: Asked, question: T): Promise<T> {
  const replace = async (own: QuestionFilters, common: QuestionFilters = {}) => {
    const before = versionsOf(own);
    const after = before.length === 0 ? before : await withPosts(deps, asked, question, { ...common, ...own });
    const isSame = after.every((version, at) => version === before[at]);
    return { filters: isSame ? own : { ...own, engine_version: after }, before, after };
  };
  const all = await replace(question.filters);
  const sides = [];
  for (const side of question.compared) sides.push(await replace(side, question.filters));
  const replaced = new Map(
    [all, ...sides].flatMap(({ before, after }) =>
      before.flatMap((version, at) => (after[at] === version ? [] : [[version, String(after[at])] as const])),
    ),
  );
  if (replaced.size === 0) return question;
  const interpretation = question.interpretation.map((each) => {
    const [version, wider] = [...replaced].find(([name]) => each.meaning.endsWith(`engine_version=${name}`)) ?? [];
    if (version === undefined) return each;
    const note = `no result of ${version} matches, so its post releases are included`;
    return { ...each, meaning: each.meaning.replace(`engine_version=${version}`, `engine_version=${wider}`), note };
  });
  return { ...question, filters: all.filters, compared: sides.map(({ filters }) => filters), interpretation };
}
