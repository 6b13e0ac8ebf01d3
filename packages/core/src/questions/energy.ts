/** Units of energy per token, by the value of one joule per token. Results store the inverse, tokens per joule. */
const energyUses = {
  ...{ 'J/tok': 1, 'Wh/Mtok': 1e6 / 3600, 'kWh/Mtok': 1e3 / 3600, 'Wh/1k tok': 1e3 / 3600, 'kWh/1k tok': 1 / 3600 },
} as const;

/** Units of tokens per energy, by the value of one token per joule. */
const energyYields = { 'tok/kWh': 3.6e6, 'tok/Wh': 3600 } as const;

export type EnergyUnit = keyof typeof energyUses | keyof typeof energyYields;

const isYield = (unit: EnergyUnit): unit is keyof typeof energyYields => Object.hasOwn(energyYields, unit);

/** True for units in which less is better: energy per token. */
export const isEnergyUse = (unit: EnergyUnit | null): boolean => unit !== null && !isYield(unit);

/** "wh per 1k tokens" and other words for it. */
const perThousand = (units: readonly string[]): string[] =>
  ['1k', '1000', '1,000', 'thousand', 'a thousand']
    .flatMap((count) => ['tokens', 'tok'].map((tokens) => `per ${count} ${tokens}`))
    .flatMap((per) => units.map((unit) => `${unit} ${per}`));

/** Phrases that name a unit of energy, by unit; the first of each is canonical. */
export const energyPhrases: Readonly<Record<EnergyUnit, readonly string[]>> = {
  'J/tok': [
    ...['joules per token', 'joule per token', 'energy per token', 'j/token', 'j/tok', 'joules/token', 'energy use'],
    ...['power consumption per token', 'energy consumption per token', 'power per token', 'energy consumption'],
    ...['energy per request', 'energy', 'energy usage', 'energy used per token', 'joules'],
  ],
  'Wh/Mtok': [
    ...['wh per million tokens', 'wh per 1m tokens', 'wh per mtok', 'wh/mtok', 'watt hours per million tokens'],
    ...['wh per token', 'watt hours per token', 'energy cost per million tokens', 'energy per million tokens'],
  ],
  'kWh/Mtok': [
    ...['kwh per million tokens', 'kwh per 1m tokens', 'kwh per mtok', 'kwh/mtok', 'kilowatt hours per million tokens'],
  ],
  'Wh/1k tok': perThousand(['wh', 'watt hours', 'watt-hours']).concat('wh/1k tokens', 'wh/ktok', 'wh per ktok'),
  'kWh/1k tok': perThousand(['kwh', 'kilowatt hours']).concat('kwh/1k tokens', 'kwh/ktok', 'kwh per ktok'),
  'tok/kWh': ['tokens per kwh', 'tokens/kwh', 'tok/kwh', 'tok per kwh', 'tokens per kilowatt hour'],
  'tok/Wh': ['tokens per wh', 'tokens/wh', 'tok/wh', 'tok per wh', 'tokens per watt hour'],
};

/** Tokens per joule in a unit of energy per token or of tokens per energy. */
export const inUnitOfEnergy = (tokensPerJoule: number, unit: EnergyUnit): number =>
  isYield(unit) ? energyYields[unit] * tokensPerJoule : energyUses[unit] / tokensPerJoule;
