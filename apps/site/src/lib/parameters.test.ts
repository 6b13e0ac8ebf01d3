import { expect, test } from 'vitest';
import { asText } from './parameters.ts';

test.each([
  ['/v1/leaderboard', '/v1/leaderboard?format=text'],
  ['/v1/best?q=fastest', '/v1/best?q=fastest&format=text'],
  ['/v1/compare?system=a&system=b', '/v1/compare?system=a&system=b&format=text'],
  ['/v1/submissions/sub_1?full=true', '/v1/submissions/sub_1?full=true&format=text'],
  ['/v1/systems?q=llama', '/v1/systems?q=llama&format=text'],
  ['/v1/pareto?x=ttft_ms_mean', '/v1/pareto?x=ttft_ms_mean&format=text'],
  ['/v1/matrix', '/v1/matrix?format=text'],
  ['/v1/history?system=a', '/v1/history?system=a&format=text'],
  ['/v1/results', '/v1/results?format=text'],
  ['/v1/results/res_1', '/v1/results/res_1'],
  ['/v1/submissions', '/v1/submissions'],
  ['/v1/submissions/sub_1/artifact', '/v1/submissions/sub_1/artifact'],
  ['/v1/leaderboard.csv?gpu=h100', '/v1/leaderboard.csv?gpu=h100'],
  ['/v1/search?q=h100', '/v1/search?q=h100'],
])('the text URL of %s is %s', (path, text) => {
  expect(asText(path)).toBe(text);
});
