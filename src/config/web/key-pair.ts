import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Report } from '../yaml/report.ts'
import type { PemSource } from './pem-source.ts'

/** Every certificate of a PEM text; undefined, and a problem, unless all of them can be read. */
export function readCertificates({ text, path }: PemSource, report: Report): readonly X509Certificate[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block))
  } catch {
    // Said below: what OpenSSL says of broken text helps nobody.
  }
  report.say(path, 'holds no PEM certificate that can be read')
  return undefined
}

/** Notes what is wrong with a certificate and its key; nothing of the key is ever repeated. */
export function checkKeyPair(cert: PemSource, key: PemSource, report: Report): void {
  const [first] = readCertificates(cert, report) ?? []
  const own = readKey(key, report)
  if (first === undefined || own === undefined || first.checkPrivateKey(own)) return
  report.say(key.path, 'holds the key of another certificate')
}

function readKey({ text, path }: PemSource, report: Report): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    const isLocked = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)
    report.say(path, isLocked ? 'is protected by a passphrase; want a key without one' : 'holds no PEM key')
    return undefined
  }
}
