import { expect, test } from 'vitest';
import { toChoices } from './board-choices.ts';
import { readBoardQuery } from './board-query.ts';
import type { BoardData } from './board-view.ts';

const choiceOf = (id: string, chosen_because: string) => ({
  ...{ id, chosen_because, reason: 'The reason of the API.', others: [] },
  ...{ input_tokens: null, output_tokens: null, dataset: null, depth: null },
});

/** The reasons of a board at an address. */
function reasonsAt(search: string, because = 'asked'): Record<string, string> {
  const query = readBoardQuery(new URLSearchParams(search));
  const data = {
    rankBy: 'decode_tok_s',
    rankChoice: choiceOf('decode_tok_s', because),
    workload: choiceOf('chatbot-steady', because),
    definition: choiceOf('client', because),
    account: null,
  } as unknown as BoardData;
  return Object.fromEntries(toChoices(data, query, query).map(({ what, reason }) => [what, reason]));
}

const [address, question] = ['The address names it.', 'The question names it.'];

test('the address is the reason for a choice by a link, and the question for one in words', () => {
  expect(reasonsAt('workload=chatbot-steady&rank_by=decode_tok_s&definition=client')).toEqual({
    ...{ Workload: address, Metric: address, Definition: address },
  });
  expect(reasonsAt('q=fastest+decode+in+chatbot')).toEqual({
    ...{ Workload: question, Metric: question, Definition: question },
  });
  expect(reasonsAt('q=fastest+decode&scenario=chatbot')).toMatchObject({ Workload: address, Metric: question });
});

test('other reasons are those of the API', () => {
  expect(reasonsAt('', 'most_systems')).toMatchObject({ Workload: 'The reason of the API.' });
});
