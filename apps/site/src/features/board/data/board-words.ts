import { exampleQuestions } from '@inferboard/core/questions/examples';
import { formatLoad } from '@inferboard/core/subjects/load';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Problem } from '../../../lib/api.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { factName } from '../../catalogue/data/fact-name.ts';
import { type BoardQuery, boardHref, changed, readBoardQuery, valuesOf } from './board-query.ts';
import { rankedMetric } from './ranked-metric.ts';

const views: readonly { label: string; search: string }[] = [
  { label: 'Quantizations, decode-bound', search: 'subject=quantization&scenario=decode-bound' },
  { label: 'llama-bench tg128', search: 'scenario=tg128' },
  { label: 'Tokens per joule', search: 'rank_by=tok_per_joule&scenario=tg128' },
  { label: 'Time to first token', search: 'rank_by=ttft_ms_mean' },
  { label: `Base grid, ${formatLoad({ mode: 'batch', level: 32 })}`, search: 'subject=quantization&scenario=base' },
  { label: 'Kernels, causal mask', search: 'rank_by=forward_ms&scenario=causal-mask' },
];

/** Links to example boards; marks the current one. */
export function presetLinks(query: BoardQuery): { label: string; href: string; isCurrent: boolean }[] {
  const current = boardHref(changed(query, { sort: null, x: null }));
  const all = { label: 'Most measured', search: '' };
  return [all, ...views].map(({ label, search }) => {
    const href = boardHref(readBoardQuery(new URLSearchParams(search)));
    return { label, href, isCurrent: query.asked === null && href === current };
  });
}

const questionHref = (question: string) => `/?${new URLSearchParams({ q: question })}`;

/** Example questions for the ask box. */
export const exampleLinks = exampleQuestions.map((text) => ({ text, href: questionHref(text) }));

const subjects: Record<string, string> = { model: 'Model', gpu: 'GPU', quantization: 'Quantization', engine: 'Engine' };

/** Heading of the first column: the kind of a row. */
export const subjectTitle = (subject: string | null): string => subjects[subject ?? ''] ?? 'System';

/** "system", "GPU": the kind of a row, within a sentence. */
export const oneOf = (subject: string | null): string =>
  subject === 'gpu' ? 'GPU' : subjectTitle(subject).toLowerCase();

const plurals: Record<string, string> = {
  model: 'Models',
  gpu: 'GPUs',
  quantization: 'Quantizations',
  engine: 'Engines',
};

/** A short title: "Decode speed on decode-bound", "Models by Output throughput per GPU, h100". */
export function boardTitle(query: BoardQuery, rankBy: string | null): string {
  const metric = rankedMetric(query.rankBy ?? rankBy ?? '')?.title ?? 'Leaderboard';
  const scenarios = [
    ...valuesOf(query, 'workload').map(workloadTitle),
    ...valuesOf(query, 'scenario').map(scenarioTitle),
  ];
  const facts = ['model', 'quantization', 'gpu', 'engine'].flatMap((name) =>
    valuesOf(query, name).map((value) => factName(name, value)),
  );
  const subject = query.subject === null ? undefined : plurals[query.subject];
  const what = subject === undefined ? metric : `${subject} by ${metric}`;
  const where = scenarios.length === 0 ? '' : ` on ${scenarios.join(' or ')}`;
  return what + where + (facts.length === 0 ? '' : `, ${facts.join(', ')}`);
}

/** A rejected question with the unknown words replaced by the suggested ones. */
export interface Suggestion {
  text: string;
  href: string;
}

/** Suggested questions from the hints of a rejected one: each hint alone and all together. */
export function suggestions(question: string, problem: Problem): Suggestion[] {
  // The API suggests a question that has an answer.
  const offered = problem.errors?.find(({ code }) => code === 'question_offered')?.hint;
  const [, asked] = /^Ask "(.+)"\.$/s.exec(offered ?? '') ?? [];
  if (asked !== undefined) return [{ text: asked, href: questionHref(asked) }];
  const swaps = (problem.errors ?? []).flatMap(({ message, hint }) => {
    const [, word] = /^"(.+?)" /.exec(message) ?? [];
    const [, meant] = /^(?:Did you mean|Specify one, such as) "(.+?)"/.exec(hint ?? '') ?? [];
    return word === undefined || meant === undefined || !question.includes(word) ? [] : [{ word, meant }];
  });
  // Unknown words without a suggestion are removed, so that the result is a valid question.
  const unknown = (problem.errors ?? []).flatMap(({ code, message }) => {
    const [, word] = /^"(.+?)" /.exec(message) ?? [];
    return code === 'word_unknown' && word !== undefined && !swaps.some((swap) => swap.word === word) ? [word] : [];
  });
  let text = question;
  for (const { word, meant } of swaps) text = text.replace(word, () => meant);
  for (const word of unknown) text = text.replace(word, ' ');
  text = text.replace(/\s+/g, ' ').trim();
  return text === '' || text === question ? [] : [{ text, href: questionHref(text) }];
}
