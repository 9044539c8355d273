import { createHash } from 'node:crypto'

/** Of tenantwatch, for name-based UUIDs. */
const namespace = Buffer.from('6f0a1c1e6f5c4f0e9a530c6a6a3f2b77', 'hex')

/** A name-based UUID (RFC 9562, version 5): the same for the same names. */
export function uuidOf(...names: readonly string[]): string {
  const bytes = createHash('sha1').update(namespace).update(JSON.stringify(names)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
