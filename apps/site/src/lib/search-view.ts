import type { Found } from './api.ts';

const kinds: Readonly<Record<Found['kind'], { title: string; href: (found: Found) => string }>> = {
  model: { title: 'Models', href: ({ id }) => `/models/${encodeURIComponent(id)}` },
  gpu: { title: 'GPUs', href: ({ id }) => `/gpus/${encodeURIComponent(id)}` },
  quantization: { title: 'Quantizations', href: ({ id }) => `/quantizations/${encodeURIComponent(id)}` },
  engine: { title: 'Engines', href: ({ id }) => `/?${new URLSearchParams({ engine: id })}` },
  system: { title: 'Systems', href: ({ id }) => `/systems/${encodeURIComponent(id)}` },
  account: { title: 'Accounts', href: ({ name }) => `/?${new URLSearchParams({ account: name })}` },
  submission: { title: 'Submissions', href: ({ id }) => `/submissions/${encodeURIComponent(id)}` },
};

export interface FoundGroup {
  kind: Found['kind'];
  title: string;
  entries: { href: string; name: string; id: string | null; detail: string | null }[];
}

/** The matches by kind, in the order of the response. */
export const toFoundGroups = (found: readonly Found[]): FoundGroup[] =>
  [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, list]) => ({
    kind,
    title: kinds[kind].title,
    entries: list.map((entry) => ({
      href: kinds[kind].href(entry),
      name: entry.name,
      // An id that differs from the name in more than spelling distinguishes variants.
      id: kind === 'model' || kind === 'gpu' ? entry.id : null,
      detail: entry.detail,
    })),
  }));

/** A note on the whole response, if it needs one. */
export function foundSentence(found: readonly Found[], question: string): string | null {
  if (found.length === 0)
    return `Nothing matches “${question}”. Search for a model, GPU, quantization, engine, account or id.`;
  if (found.every(({ match }) => match === 'similar')) return `Nothing matches “${question}”. These names are similar:`;
  if (found.every(({ match }) => match === 'some'))
    return `Nothing matches all words of “${question}”. These match some:`;
  return null;
}
