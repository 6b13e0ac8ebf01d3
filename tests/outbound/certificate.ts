import { generateKeyPairSync, sign } from 'node:crypto';

type Der = Buffer;

function der(tag: number, ...parts: Der[]): Der {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: Der[]): Der => der(0x30, ...parts);
const oid = (hex: string): Der => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (date: Date): Der => {
  const text = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
};

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string): Der => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

export interface Certificate {
  /** Both in PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A self-signed certificate for these names and IPv4 addresses, valid for one day. */
export function createCertificate(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const subject = commonName(names[0] ?? 'nobody');
  const alternatives = names.map((name) =>
    /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
  );
  const day_ms = 86_400_000;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    subject,
    sequence(utcTime(new Date(Date.now() - day_ms)), utcTime(new Date(Date.now() + day_ms))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, sequence(...alternatives))))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  const base64 = sequence(body, ecdsaWithSha256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.trim()}\n-----END CERTIFICATE-----\n`,
  };
}
