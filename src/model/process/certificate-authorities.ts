import { X509Certificate } from 'node:crypto'

const blocks = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

/** TLS silently ignores invalid certificates and then rejects every server. */
export function containsCertificate(pem: string): boolean {
  return (pem.match(blocks) ?? []).some(canBeRead)
}

function canBeRead(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
