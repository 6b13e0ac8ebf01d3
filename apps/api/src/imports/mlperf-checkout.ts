import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type ImportItem, noParameters, type Publication, PublicationError, toLine } from './import-item.ts';
import { readSummary, type SummaryRow } from './mlperf-summary.ts';
import { walkFiles } from './walk-files.ts';

const logPattern =
  /^(?<division>closed|open|network)\/(?<submitter>[^/]+)\/results\/(?<platform>[^/]+)\/(?<model>[^/]+)\/(?<scenario>[^/]+)\/performance\/run_1\/mlperf_log_summary\.txt$/i;

interface Place {
  division: string;
  submitter: string;
  platform: string;
  model: string;
  scenario: string;
}

const keyOf = (words: readonly unknown[]) => words.map((word) => String(word).toLowerCase()).join('\n');
const placeKey = ({ division, submitter, platform, model, scenario }: Place) =>
  keyOf([division, submitter, platform, model, scenario]);
const rowKey = ({ Category, Submitter, Platform, UsedModel, Scenario }: SummaryRow) =>
  keyOf([Category, Submitter, Platform, UsedModel, Scenario]);

/** Scenarios as written in a summary; folders of older rounds use lower case. */
const scenarios = ['Offline', 'Server', 'Interactive', 'SingleStream', 'MultiStream'];

async function readObject(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const numberOf = (value: unknown) => {
  const number = Number(value);
  return value !== '' && Number.isFinite(number) ? number : null;
};

/** A row built from a system description and a measurement, for a checkout without a summary. */
async function describedRow(dir: string, files: ReadonlySet<string>, place: Place, version: string | null) {
  const { division, submitter, platform, model, scenario } = place;
  const system = await readObject(join(dir, division, submitter, 'systems', `${platform}.json`));
  const folders = ['results', 'measurements'].map((kind) =>
    [division, submitter, kind, platform, model, scenario].join('/'),
  );
  const beside = [...files].filter(
    (file) =>
      file.endsWith('.json') &&
      folders.some((folder) => file.startsWith(`${folder}/`) && !file.slice(folder.length + 1).includes('/')),
  );
  const described = await Promise.all(beside.map((file) => readObject(join(dir, file))));
  const weights = described.map((one) => one.weight_data_types).find((types) => typeof types === 'string');
  if (Object.keys(system).length === 0) return null;
  return {
    Submitter: system.submitter ?? submitter,
    Availability: system.status ?? null,
    Category: division.toLowerCase(),
    Suite: system.system_type ?? null,
    System: system.system_name ?? platform,
    Platform: platform,
    UsedModel: model,
    Model: model,
    Scenario: scenarios.find((one) => one.toLowerCase() === scenario.toLowerCase()) ?? scenario,
    Nodes: numberOf(system.number_of_nodes),
    Processor: system.host_processor_model_name ?? null,
    Accelerator: system.accelerator_model_name ?? '',
    'a#': numberOf(system.accelerators_per_node),
    Software: system.framework ?? null,
    operating_system: system.operating_system ?? null,
    version,
    weight_data_types: weights ?? null,
    Performance_Result: null,
    Details: null,
  };
}

/** The round of a checkout, from its folder name: "inference_results_v5.1" is v5.1. */
const roundOf = (dir: string) => /v\d{1,2}\.\d{1,2}/.exec(basename(resolve(dir)))?.[0] ?? null;

/** In a CSV, the link is a path within the repository. */
function withLink(row: SummaryRow, version: string | null): SummaryRow {
  const { Details: details } = row;
  const round = typeof row.version === 'string' ? row.version : version;
  if (typeof details !== 'string' || /^https?:/.test(details) || round === null) return row;
  return { ...row, Details: `https://github.com/mlcommons/inference_results_${round}/tree/main/${details}` };
}

/**
 * Reads a checkout of an MLPerf Inference results repository: every first performance run with its summary line, or with its
 * system description if the checkout has no summary. Each run is a separate submission.
 *
 * @throws PublicationError
 */
export async function readMlperfCheckout(dir: string): Promise<Publication> {
  const files = await walkFiles(dir);
  const version = roundOf(dir);
  const summary = new Map((await readSummary(dir, files)).map((row) => [rowKey(row), withLink(row, version)]));
  const all = new Set(files);
  const items: ImportItem[] = [];
  const refused: { name: string; reason: string }[] = [];
  const seen = new Set<string>();
  for (const path of files) {
    const place = logPattern.exec(path)?.groups as Place | undefined;
    if (place === undefined) continue;
    const key = placeKey(place);
    seen.add(key);
    const row = summary.get(key) ?? (summary.size === 0 ? await describedRow(dir, all, place, version) : null);
    if (row === null) {
      const wanted = summary.size === 0 ? `systems/${place.platform}.json` : 'a line of the summary';
      refused.push({ name: path, reason: `It lacks ${wanted}.` });
    } else
      items.push({
        name: path,
        bytes: toLine({ path, row, log: await readFile(join(dir, path), 'utf8') }),
        parameters: noParameters,
      });
  }
  for (const [key, row] of summary) {
    if (seen.has(key)) continue;
    const name = [row.Category, row.Submitter, row.Platform, row.UsedModel, row.Scenario].join('/');
    refused.push({ name, reason: 'It is in the summary, but has no log of a performance run.' });
  }
  if (items.length + refused.length === 0)
    throw new PublicationError(
      `${dir} has no .../performance/run_1/mlperf_log_summary.txt. Is it a results repository?`,
    );
  return { account: 'import-mlperf', items, refused };
}
