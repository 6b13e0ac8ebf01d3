import { noFacts, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf, type ReportFigures } from '../reading/figures/report-figures.ts';

const definitions: Record<string, string> = {
  ttft_ms: 'prefill_only',
  tpot_ms: 'without_first_token',
  e2e_ms: 'whole_batch',
  prefill_tok_s: 'in_process',
  decode_tok_s: 'in_process',
  user_tok_s: 'in_process',
};

/** A run of the tool in either layout. `peakGb` is the peak memory of MLX. */
export function toResult(
  figures: ReportFigures,
  { model, chip, peakGb }: { model: string | null; chip: string | null; peakGb: number | null },
  lines: { from: number; to: number },
): ParsedResult {
  const ok = figures.metrics.get('requests_ok') ?? 0;
  const mean = (total: number | undefined) => (total === undefined || ok === 0 ? null : total / ok);
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(model, 'stated'),
      gpu: chip === null ? null : { value: /^M\d/.test(chip) ? `Apple ${chip}` : chip, origin: 'stated' },
      gpuCount: chip === null ? null : { value: 1, origin: 'stated' },
      engine: { value: 'mlx', origin: 'stated' },
    },
    scenario: {
      ...noScenario,
      ...measuredLengths(mean(figures.metrics.get('input_tokens')), mean(figures.metrics.get('output_tokens'))),
    },
    load: { mode: 'batch', level: 1 },
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, definitions),
    extra: { ...figures.extra, ...(peakGb === null ? {} : { peak_memory_gb: peakGb }) },
    lines,
  };
}
