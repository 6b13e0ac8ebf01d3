import { findMisspelt, type NamedFact, namedFacts } from '@inferboard/core/catalogue/misspelt-facts';
import { isNoGpu, noGpuHint } from '@inferboard/core/catalogue/names/no-gpu';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { nameLengthMax } from '@inferboard/core/text/text';
import type { Deps } from '../deps.ts';
import { toBaseUrl, toMetricsUrl } from './ask-endpoint.ts';

const titles: Record<NamedFact, string> = { gpu: 'GPU', engine: 'engine', quantization: 'quantization' };

/** Fields of a body, as the client wrote them. */
type Fields = Readonly<Record<string, unknown>>;

function misspeltFaults(body: Fields): Fault[] {
  if (body.unknown_facts === 'keep') return [];
  const given = namedFacts.flatMap((fact) => {
    const name = body[fact];
    return typeof name === 'string' && name.length <= nameLengthMax ? [[fact, name]] : [];
  });
  const { gpu } = body;
  const noGpu: Fault[] =
    typeof gpu === 'string' && isNoGpu(gpu)
      ? [
          {
            code: 'value_unknown',
            pointer: '/gpu',
            message: `The GPU "${gpu}" does not name a device.`,
            hint: noGpuHint,
          },
        ]
      : [];
  const misspelt = findMisspelt(Object.fromEntries(given)).map(({ fact, name, suggestions }) => ({
    ...{ code: 'value_unknown', pointer: `/${fact}` },
    message: `The catalogue has no ${titles[fact]} "${name.slice(0, 100)}".`,
    hint: `Did you mean ${suggestions.join(', ')}? To keep the name, add "unknown_facts": "keep".`,
  }));
  return [...noGpu, ...misspelt];
}

function faultsOf(read: () => unknown): Fault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof DomainError) return [...error.faults];
    throw error;
  }
}

function addressFaults({ base_url: base, metrics_url: metrics }: Fields, deps: Deps): Fault[] {
  if (typeof base !== 'string') return [];
  const faults = faultsOf(() => toBaseUrl(base, deps));
  // Without a valid base URL, the origin of the metrics cannot be compared.
  if (faults.length > 0 || typeof metrics !== 'string') return faults;
  return faultsOf(() => toMetricsUrl(metrics, toBaseUrl(base, deps), deps));
}

const credentialsNotKept: Fault = {
  ...{ code: 'credentials_not_kept', pointer: '/api_key' },
  message: 'This service cannot store credentials: its operator has not set SECRET_KEY.',
  hint: 'Register the endpoint without a credential.',
};

/** The faults of an endpoint that its schema cannot detect: in its addresses, its credential and the names of its facts. */
export function endpointFaults(body: unknown, deps: Deps): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const fields = { ...body };
  const hasKey = 'api_key' in fields && fields.api_key !== undefined;
  return [
    ...addressFaults(fields, deps),
    ...(hasKey && deps.keyring === null ? [credentialsNotKept] : []),
    ...misspeltFaults(fields),
  ];
}
