import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  sequence: 0x30,
  set: 0x31,
  time: 0x17,
  dns: 0x82,
  ip: 0x87,
  version: 0xa0,
  extensions: 0xa3,
} as const

const oids = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
} as const

const dayMs = 86_400_000

/** One DER value: tag, length, content. */
function der(tag: keyof typeof tags, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tags[tag], ...length]), body])
}

const oid = (name: keyof typeof oids) => der('oid', Buffer.from(oids[name], 'hex'))
const yes = der('boolean', Buffer.from([0xff]))
const time = (ms: number) =>
  der('time', Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))

export interface Certificate {
  /** PEM texts. */
  readonly cert: string
  readonly key: string
}

/** A self-signed certificate for a host (DNS name or IPv4 address), valid for a month; needs no program from outside. */
export function selfSigned(host: string, now = Date.now()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der('sequence', oid('ecdsaWithSha256'))
  const name = der('sequence', der('set', der('sequence', oid('commonName'), der('text', Buffer.from(host)))))
  const address = host.split('.').map(Number)
  const isAddress = address.length === 4 && address.every(Number.isInteger)
  const alternative = isAddress ? der('ip', Buffer.from(address)) : der('dns', Buffer.from(host))
  const extension = (id: Buffer, value: Buffer, ...critical: Buffer[]) =>
    der('sequence', id, ...critical, der('octets', der('sequence', value)))
  const body = der(
    'sequence',
    der('version', der('integer', Buffer.from([2]))),
    der('integer', Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der('sequence', time(now - dayMs), time(now + 30 * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      'extensions',
      der('sequence', extension(oid('basicConstraints'), yes, yes), extension(oid('subjectAltName'), alternative)),
    ),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = der('sequence', body, algorithm, der('bits', Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
