import type { Check } from './check.ts';

/** Never on the boards: a server with synthetic responses measures only itself. */
export const simulated: Check = {
  id: 'F4',
  code: 'simulated',
  title: 'A model answered',
  rule:
    'A result that was measured on a simulated endpoint, such as the one included in Inferboard, is marked and never ranks: no model ran. ' +
    'The endpoint sets the header `Inferboard-Simulated` in each response, and our load generator writes it to its report. Only reports that state this are checked.',
  check({ result: { extra } }) {
    if (extra.simulated !== true) return 'not_applicable';
    return [
      {
        severity: 'info',
        message:
          'The endpoint reported that its responses were simulated: no model ran on the stated hardware, and the result never ranks.',
        evidence: {},
      },
    ];
  },
};
