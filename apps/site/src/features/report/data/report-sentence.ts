import { type ReportFinding, sourceOf } from './report-figures.ts';

/** A part of a finding's sentence. Values link to the results that they come from. */
export interface SentencePart {
  text: string;
  href: string | null;
}

/** A character that would extend the matched number. */
const isDigit = (char: string | undefined) => char !== undefined && /[\d.,]/.test(char);

/** Index of the text as a separate number, from `start`; -1 if absent: "13.2 tok/s" is not in "113.2 tok/s". */
function placeOf(sentence: string, text: string, start: number): number {
  for (let at = sentence.indexOf(text, start); at !== -1; at = sentence.indexOf(text, at + 1)) {
    if (!isDigit(sentence[at - 1])) return at;
  }
  return -1;
}

/** The sentence of a finding. Each cited value links to its results. */
export function sentenceParts({ sentence, evidence }: ReportFinding): SentencePart[] {
  const parts: SentencePart[] = [];
  const left = [...evidence];
  let cursor = 0;
  while (left.length > 0) {
    const found = left
      .map((figure, index) => ({ figure, index, at: placeOf(sentence, figure.text, cursor) }))
      .filter(({ at }) => at !== -1)
      .toSorted((a, b) => a.at - b.at || b.figure.text.length - a.figure.text.length || a.index - b.index)[0];
    if (found === undefined) break;
    const { figure, index, at } = found;
    if (at > cursor) parts.push({ text: sentence.slice(cursor, at), href: null });
    parts.push({ text: figure.text, href: sourceOf(figure) });
    cursor = at + figure.text.length;
    left.splice(index, 1);
  }
  if (cursor < sentence.length) parts.push({ text: sentence.slice(cursor), href: null });
  return parts;
}

/** Label of a finding's severity. */
export const findingWords: Record<ReportFinding['severity'], string> = {
  good: 'Good',
  info: 'Fact',
  notice: 'Caution',
  bad: 'Poor',
};
