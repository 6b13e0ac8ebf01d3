import { shownModel } from '../points/model-name.ts';
import { listedModels } from './server-facts.ts';

const namedMost = 3;

/**
 * A doubt if the response to `/v1/models` lists other models only. Some servers, such as llama.cpp's, respond with their own model
 * to any name.
 */
export function unlistedDoubts(document: string | null, model: string): string[] {
  const shown = shownModel(model);
  const names = listedModels(document).map(({ id, aliases }) => [id, ...aliases].map(shownModel));
  if (names.length === 0 || names.some((all) => all.includes(shown))) return [];
  const ids = names.slice(0, namedMost).map(([id]) => id);
  const more = names.length > namedMost ? ` and ${names.length - namedMost} more` : '';
  return [
    `the server does not list the model ${shown}, and may respond with another one. It lists ${ids.join(', ')}${more}`,
  ];
}
