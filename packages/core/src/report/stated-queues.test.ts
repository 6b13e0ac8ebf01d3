import { expect, test } from 'vitest';
import { readStatedQueues } from './stated-queues.ts';

test('reads safe queues and their limit from notes', () => {
  const notes = 'A report also states: Safe queue at 3.0 s: chatbot 131, rag 84, tool-calling 8. Efficiency was 41 %.';
  expect(readStatedQueues(notes).map(({ scenario, requests, limitS }) => [scenario.title, requests, limitS])).toEqual([
    ['Chatbot', 131, 3],
    ['RAG / QA', 84, 3],
    ['Tool-calling agent', 8, 3],
  ]);
});

test('omits names that are not scenarios and values that are not counts', () => {
  expect(readStatedQueues('safe queue at 1 s: nothing 5, chatbot many, chatbot 1234567')).toEqual([]);
  expect(readStatedQueues('a queue of 131 requests was safe')).toEqual([]);
});
