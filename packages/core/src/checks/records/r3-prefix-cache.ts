import { isOn } from '../../hardware/switches.ts';
import { succeeded } from '../../records/measure.ts';
import { sharesPrefixes } from '../../workloads/prompts-title.ts';
import { type Check, figure, unchecked } from '../check.ts';

const title = 'Prompts are not served from an undeclared cache';
const shareMost = 0.05;

export const r3PrefixCache: Check = {
  id: 'R3',
  code: 'prefix_cache_suspected',
  title,
  rule:
    'Prompt tokens that the server took from its prefix cache may be at most 5 % of all prompt tokens, unless the system declares prefix_caching. Needs cached_tokens and input_tokens of the same requests. ' +
    'More is a warning: time to first token and throughput benefit from earlier work. It is only stated for conversations and shared prefixes, whose prompts repeat earlier ones. How TTFT grows with the prompt is not checked here, because queues and networks hide it in valid runs too.',
  check({ result: { records, system, scenario, extra } }) {
    if (records === null || isOn(system.features.prefix_caching)) return 'not_applicable';
    let cached = 0;
    let input = 0;
    let isCounted = false;
    for (const { cachedTokens, inputTokens } of succeeded(records.requests)) {
      isCounted ||= cachedTokens !== null;
      if (cachedTokens === null || inputTokens === null) continue;
      cached += cachedTokens;
      input += inputTokens;
    }
    if (!isCounted) return 'not_applicable';
    if (input === 0) return unchecked(title, ['input_tokens with cached_tokens']);
    if (cached <= shareMost * input) return 'pass';
    const declared = system.features.prefix_caching === undefined ? 'is not declared' : 'is declared to be off';
    const isExpected = extra.multi_turn === true || sharesPrefixes(scenario.id);
    const repeats = isExpected ? ' Prompts of this workload repeat earlier ones.' : '';
    return [
      {
        severity: isExpected ? 'info' : 'warning',
        message: `${figure((cached / input) * 100)} % of the prompt tokens came from a prefix cache, which ${declared} in the system's features.${repeats}`,
        evidence: { cached_tokens: cached, input_tokens: input, ratio: cached / input },
      },
    ];
  },
};
