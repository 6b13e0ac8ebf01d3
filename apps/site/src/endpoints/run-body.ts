import { textOf } from '../features/submission/data/posted-form.ts';
import { numberOf } from './endpoint-body.ts';

/** Forms that start a run: loads of a workload, a plan with a name, or a search for the capacity. */
export type RunForm = 'loads' | 'plan' | 'capacity';

/** Loads of the form at first, and the requests of each. Within the daily requests of an endpoint without proof. */
export const loadDefaults = { levels: '1, 4', requests: 16 };

export const capacityDefaults = { limits: 'ttft_p99<2000,tpot_p99<50' };

/** The workload: a scenario, or the lengths if any is given. */
function scenarioOf(form: FormData): unknown {
  const [input, output] = ['input_tokens', 'output_tokens'].map((name) => textOf(form, name).trim());
  if (!input && !output) return textOf(form, 'scenario');
  return {
    ...(input && { input_tokens: numberOf(input) }),
    ...(output && { output_tokens: numberOf(output) }),
  };
}

/** A point for each load: at least as many requests as users. */
function planOf(form: FormData): unknown[] {
  const requests = numberOf(textOf(form, 'requests').trim());
  return textOf(form, 'levels')
    .split(/[\s,;]+/u)
    .filter((text) => text !== '')
    .map((text) => {
      const level = numberOf(text);
      const most = typeof level === 'number' && typeof requests === 'number' ? Math.max(level, requests) : requests;
      return {
        scenario: scenarioOf(form),
        load: { mode: 'concurrency', level },
        ...(requests !== '' && { requests: most }),
      };
    });
}

/** Whether the form asks for a schedule. */
export const isScheduled = (form: FormData): boolean => textOf(form, 'cron').trim() !== '';

/** The body of the request that starts or schedules a run. Empty fields are omitted; the API validates the others. */
export function runBody(endpoint: string, form: FormData): Record<string, unknown> {
  const kind = textOf(form, 'form') as RunForm;
  const repetitions = textOf(form, 'repetitions').trim();
  const common = {
    endpoint_id: endpoint,
    ...(repetitions !== '' && { repetitions: numberOf(repetitions) }),
    ...(isScheduled(form) && { cron: textOf(form, 'cron').trim() }),
  };
  if (kind === 'plan') return { ...common, plan: textOf(form, 'plan') };
  if (kind === 'capacity')
    return { ...common, plan: 'capacity', find: { limits: textOf(form, 'limits').trim(), scenario: scenarioOf(form) } };
  return { ...common, plan: planOf(form) };
}
