// Checks the shipped dependencies: node scripts/check-supply.ts
// Every package is locked to a hash and comes from the registry. Every shipped package has an allowed licence.
import { readFileSync } from 'node:fs';
import { licenceFault, lockFaults, readLock, shippedPackages } from './supply.ts';

const lock = readLock(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const shipped = shippedPackages(lock);
const faults = [...lockFaults(lock), ...shipped.flatMap((shipping) => licenceFault(shipping) ?? [])];
for (const fault of faults) console.error(fault);
if (faults.length === 0)
  console.log(`${shipped.length} packages are delivered, each locked and under a licence we allow.`);
process.exitCode = faults.length === 0 ? 0 : 1;
