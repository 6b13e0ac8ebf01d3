import { matchGpu } from '../filters/filters.ts';
import { isSameMatch, priceMax } from './price-list.ts';

/** A price stated by a reader, with the GPU's name as written. */
export interface StatedPrice {
  gpu: string;
  usdPerHour: number;
}

/** A part of the text that is not a price, and the reason. */
export interface StatedPriceFault {
  part: string;
  message: string;
}

const example = 'write h100=2.10';

/** Splits GPU and price: "h100=2.10", "h100: $2.10", "rtx pro 6000 0.9". */
const partForm = /^(?<gpu>.*?)(?:\s*[=:]\s*|\s+)(?<price>[^\s=:]*)$/su;
const priceForm = /^\$?(?<usd>\d{1,6}(?:\.\d{1,20})?)$/;

function readPart(part: string): StatedPrice | StatedPriceFault {
  const { gpu = '', price = '' } = partForm.exec(part)?.groups ?? {};
  if (gpu.trim() === '') {
    const isPrice = priceForm.test(part.replace(/^[=:\s]+/, ''));
    return { part, message: isPrice ? `has no GPU: ${example}` : `has no price: ${example}` };
  }
  const usdPerHour = Number(priceForm.exec(price)?.groups?.usd ?? Number.NaN);
  if (!(usdPerHour > 0 && usdPerHour <= priceMax))
    return { part, message: 'has no price in dollars above 0, such as 2.10' };
  return { gpu: gpu.trim(), usdPerHour };
}

/**
 * Parses prices from one line, such as "h100=2.10, mi300x=1.80". Commas, semicolons and line breaks separate prices; "=",
 * ":" or a space precedes each price.
 *
 * @returns the prices, and each invalid part
 */
export function parseStatedPrices(text: string): { prices: StatedPrice[]; faults: StatedPriceFault[] } {
  const prices: StatedPrice[] = [];
  const faults: StatedPriceFault[] = [];
  const parts = text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of parts) {
    const read = readPart(part);
    if ('part' in read) {
      faults.push(read);
      continue;
    }
    const before = prices.find(({ gpu }) => isSameMatch(matchGpu(gpu), matchGpu(read.gpu)));
    if (before === undefined) prices.push(read);
    else faults.push({ part, message: `is the same GPU as "${before.gpu}": state one price` });
  }
  return { prices, faults };
}
