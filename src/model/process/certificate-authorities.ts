import { X509Certificate } from 'node:crypto'

const blocks = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

/** True when a text holds a certificate in PEM; TLS passes over what is none, and would trust nobody. */
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
