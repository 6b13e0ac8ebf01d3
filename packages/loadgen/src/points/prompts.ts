import type { DatasetId } from '@inferboard/core/plans/datasets';
import { datasetIds } from '@inferboard/core/plans/datasets';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { deriveSeed } from '../pacing/random.ts';
import type { RequestBody } from '../prompts/body.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import type { Calibrator, CountTokens } from '../prompts/calibrator.ts';
import { composeText, type PromptShape } from '../prompts/compose.ts';
import { datasetRequests, measureCharsPerToken } from '../prompts/datasets/dataset-requests.ts';
import type { Dataset } from '../prompts/datasets/load-dataset.ts';
import { type Traffic, type TrafficFacts, trafficOf } from '../traffic/point-traffic.ts';
import type { Message } from '../traffic/unit.ts';
import type { Turns } from '../turns/turns.ts';

/** What one request of a point asks. */
export interface PointPrompt {
  prompt: string;
  /** In place of the prompt, see `AskedRequest`. */
  messages?: readonly Message[];
  fields?: RequestBody;
  /** In place of the server's model. */
  model?: string;
  /** Tokens of the answer. */
  outputTokens: number;
}

/** The requests of a point, those of its warm-up behind the measured ones. */
export interface PointPrompts {
  at(index: number): PointPrompt;
  /** Tokens of a prompt as asked, and by how many the server counted more or fewer; null for a data set's. */
  length: Pick<PromptShape, 'inputTokens' | 'offBy' | 'isAdditive'> | null;
  /** Measured requests where there are more than the point has: turns of its conversations. */
  rows?: number;
  turns?: Turns;
  /** When the measured requests are due, in ms, in place of the load's own arrivals. */
  dueMs?: Float64Array;
  /** Of traffic that is not the plan's own workload. */
  traffic?: TrafficFacts;
  /** See `TrafficSource`; false by default. */
  sharesPrefixes?: boolean;
}

/** The data sets of a run, each read once. */
export interface PointDatasets {
  /** @throws DatasetError where it is not to be had */
  load(id: DatasetId): Promise<Dataset>;
  countTokens: CountTokens;
}

export interface PromptOptions {
  calibrator: Calibrator;
  /** Makes the beginnings of prompts fresh, such as the id of the run. */
  salt: string;
  datasets?: PointDatasets;
  /** Sent in place of the workload that the point names. */
  traffic?: Traffic;
}

/** The data set that a scenario is asked from; null where its prompts are made up. */
export function datasetOf({ scenario }: Pick<PlanPoint, 'scenario'>): DatasetId | null {
  return datasetIds.find((id) => id === scenario.id) ?? null;
}

async function madeUp(point: PlanPoint, { calibrator, salt }: PromptOptions): Promise<PointPrompts> {
  const { inputTokens, outputTokens, id } = point.scenario;
  if (inputTokens === null || outputTokens === null) throw new RangeError(`${id} has no lengths`);
  const shape = await calibrator.fit(inputTokens);
  if (shape.isCut)
    throw new CalibrationError(
      'prompt_cut',
      `the server truncates prompts of ${inputTokens} tokens: they cannot be measured`,
    );
  const seed = deriveSeed(point.seed, point.key);
  const { offBy, isAdditive } = shape;
  return {
    at: (index) => ({ prompt: composeText(shape, { seed, salt, index }), outputTokens }),
    length: { inputTokens, offBy, isAdditive },
  };
}

async function recorded(
  id: DatasetId,
  point: PlanPoint,
  { salt }: PromptOptions,
  { load, countTokens }: PointDatasets,
): Promise<PointPrompts> {
  const dataset = await load(id);
  const requests = datasetRequests(dataset, {
    count: point.requests + point.warmup,
    seed: deriveSeed(point.seed, point.key),
    salt,
    charsPerToken: await measureCharsPerToken(dataset, countTokens, point.seed),
  });
  return {
    at: (index) => {
      const request = requests[index];
      if (request === undefined) throw new RangeError(`there are ${requests.length} requests, and no number ${index}`);
      return request;
    },
    length: null,
  };
}

/**
 * The requests of a point: made up to its lengths, of its data set, or of the traffic given.
 *
 * @throws CalibrationError where the server does not say how long prompts are, or cuts them; DatasetError
 */
export function promptsOf(point: PlanPoint, options: PromptOptions): Promise<PointPrompts> {
  const { traffic, calibrator } = options;
  if (traffic !== undefined)
    return trafficOf(traffic, point, {
      vocabulary: () => calibrator.vocabulary(),
      systemOverhead: () => calibrator.systemOverhead(),
      countTokens: traffic.countTokens,
    });
  const id = datasetOf(point);
  if (id === null) return madeUp(point, options);
  if (options.datasets === undefined) throw new RangeError(`there is no source for the data set ${id}`);
  return recorded(id, point, options, options.datasets);
}
