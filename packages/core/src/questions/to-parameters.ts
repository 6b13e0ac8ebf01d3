import type { Question } from './question.ts';

/** Converts a question's filters to URL parameters: values as text, days as their first instant in UTC. */
export function toParameters({ filters }: Pick<Question, 'filters'>): Record<string, string | string[]> {
  const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/u.test(value);
  return Object.fromEntries(
    Object.entries(filters).map(([filter, value]) => {
      if (Array.isArray(value)) return [filter, value.map(String)];
      const text = String(value);
      return [filter, (filter === 'since' || filter === 'until') && isDay(text) ? `${text}T00:00:00Z` : text];
    }),
  );
}
