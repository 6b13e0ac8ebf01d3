import type { Check } from './check.ts';

/** Never on the boards: a server that makes its answers up measures nothing but itself. */
export const simulated: Check = {
  id: 'F4',
  code: 'simulated',
  title: 'A model answered',
  rule:
    'A result that was measured on a simulated endpoint, as the one that comes with Inferboard is, says so and never ranks: no model ran. ' +
    'The endpoint says what it is in the header `Inferboard-Simulated` of each answer, and our load generator writes it into its report. Only reports that say so are looked at.',
  check({ result: { extra } }) {
    if (extra.simulated !== true) return 'not_applicable';
    return [
      {
        severity: 'info',
        message:
          'The endpoint said that its answers were simulated: no model ran, whatever hardware is named, and the result never ranks.',
        evidence: {},
      },
    ];
  },
};
