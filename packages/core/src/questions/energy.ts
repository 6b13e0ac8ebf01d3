/** Units of energy per token, by the value of one joule per token. Results store the inverse, tokens per joule. */
const energyUnits = { 'J/tok': 1, 'Wh/Mtok': 1e6 / 3600, 'kWh/Mtok': 1e3 / 3600 } as const;

export type EnergyUnit = keyof typeof energyUnits;

/** Phrases for energy per token, by unit; the first of each is canonical. */
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
};

/** Tokens per joule as energy per token. */
export const energyPerToken = (tokensPerJoule: number, unit: EnergyUnit): number => energyUnits[unit] / tokensPerJoule;
