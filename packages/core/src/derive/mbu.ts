import { gpuFigures } from '../hardware/gpus.ts';
import { isOffloaded } from '../hardware/offload.ts';
import { tokensPerStep } from '../hardware/speculation.ts';
import { weightFigures } from '../hardware/weights.ts';
import { lengthsOf } from '../subjects/scenario.ts';
import type { Derivation } from './derivation.ts';

/**
 * Memory bandwidth utilization (Databricks, "LLM Inference Performance Engineering"): (active weights + context x cache, in
 * bytes) / tpot / (GPUs x bandwidth), for one user at a time. Uses average bits and the vendor's bandwidth, unlike the
 * bounds of the checks. The context is the prompt plus half of the response. Null for a bare GPU family, with speculation,
 * with weights outside GPU memory, and if the catalogue lacks a figure.
 */
export const mbu: Derivation = {
  metric: 'mbu',
  derive({ result }) {
    const { kind, metrics, definitions, load, scenario, system, extra } = result;
    const { inputTokens, outputTokens } = lengthsOf(result);
    if (kind !== 'serving' || load.level !== 1 || load.mode === 'rate') return null;
    const tpot = definitions.tpot_ms === 'with_first_token' ? undefined : metrics.tpot_ms_mean;
    const tpotMs = tpot ?? 1000 / (metrics.user_tok_s ?? metrics.decode_tok_s ?? Number.NaN);
    const gpus = gpuFigures(system);
    const weights = weightFigures(result);
    if (!(tpotMs > 0 && Number.isFinite(tpotMs)) || gpus === null || gpus.bandwidth === null || weights === null)
      return null;
    if (tokensPerStep(system, extra) !== 1 || isOffloaded(result)) return null;
    const { decodeParams, bytesAverage, kvBytes } = weights;
    if (decodeParams === null || bytesAverage === null) return null;
    const context = (inputTokens ?? 0) + (scenario.depth ?? 0) + (outputTokens ?? 0) / 2;
    if (context > 0 && kvBytes === null) return null;
    const bytes = decodeParams * bytesAverage + context * (kvBytes ?? 0);
    return { metric: 'mbu', value: bytes / (tpotMs / 1000) / (gpus.width * gpus.bandwidth) };
  },
};
