import { DomainError, type Fault } from '@inferboard/core/errors';
import { type PriceFile, PriceFileSchema, parsePriceList } from '@inferboard/core/prices/price-list';
import type { Context } from 'hono';
import { unknownGpuFaults } from '../boards/known-values.ts';
import type { AppContext, Deps } from '../deps.ts';
import { readJsonValue } from '../http/read-json.ts';
import { faultsMax, toFaults } from '../http/refuse.ts';

/** Maximum number of GPU names to look up. A list has one entry for each GPU on the market. */
const gpusMax = 500;

const pointerOf = (path: readonly string[]) =>
  path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The names of GPUs in a body, even if other parts of it are invalid. */
function gpuNames(body: unknown): string[] {
  const gpus = typeof body === 'object' && body !== null && 'gpus' in body ? body.gpus : null;
  return typeof gpus === 'object' && gpus !== null && !Array.isArray(gpus) ? Object.keys(gpus) : [];
}

function faultsOf(body: unknown): Fault[] {
  const parsed = PriceFileSchema.safeParse(body);
  if (!parsed.success) return toFaults(parsed.error.issues, Object.keys(PriceFileSchema.shape), true);
  const read = parsePriceList(body);
  if ('list' in read) return [];
  return read.faults.map(({ code, path, message }) => ({
    ...{ code, pointer: pointerOf(path), message: `${path.join('.')} ${message}.` },
  }));
}

/**
 * Reads the price list in a request body.
 *
 * @throws DomainError `media_type_unsupported`, `request_invalid` with all errors, including unknown GPUs
 */
export async function readPriceBody({ database }: Pick<Deps, 'database'>, c: Context<AppContext>): Promise<PriceFile> {
  const body = await readJsonValue(c);
  const faults = faultsOf(body);
  const names = gpuNames(body);
  if (names.length > gpusMax)
    faults.push({ code: 'value_invalid', pointer: '/gpus', message: `gpus has more than ${gpusMax} entries.` });
  for (const name of names.slice(0, gpusMax))
    faults.push(...(await unknownGpuFaults(database.db, { pointer: pointerOf(['gpus', name]) }, name)));
  if (faults.length > 0)
    throw new DomainError('request_invalid', 'The price list is not valid.', faults.slice(0, faultsMax));
  return PriceFileSchema.parse(body);
}
