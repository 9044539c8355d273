import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import * as z from 'zod'
import { text } from '../leaves.ts'
import { predicate } from '../validate.ts'
import { isMap } from '../yaml/key-path.ts'
import { type ClientAuthType, clientAuthTypes, type TlsSettings } from './web-settings.ts'

/** Reads a file; a relative path starts from the folder of the configuration. */
export type ReadFile = (path: string) => { readonly text: string } | { readonly why: string }

const file = () => text('the path of a PEM file')

const written = z.strictObject({
  cert_file: file(),
  key_file: file(),
  client_ca_file: file().nullish(),
  client_auth_type: z
    .enum([...clientAuthTypes, 'RequireClientCert', ''], { error: `expected one of ${clientAuthTypes.join(', ')}` })
    .default('NoClientCert')
    .transform((type): ClientAuthType => {
      if (type === '') return 'NoClientCert'
      return type === 'RequireClientCert' ? 'RequireAnyClientCert' : type
    }),
  client_allowed_sans: z.array(text('a DNS name, an IP or e-mail address, or a URI')).optional(),
  min_version: z
    .enum(['TLS12', 'TLS13'], { error: 'expected TLS12 or TLS13; older versions are broken' })
    .default('TLS12')
    .transform((version): SecureVersion => (version === 'TLS12' ? 'TLSv1.2' : 'TLSv1.3')),
})

type Written = z.output<typeof written>

/** `tls_server_config`; null without content. */
export function tlsSection(read: ReadFile) {
  const tls = written
    // Also where other keys are wrong: every value may be missing or of another kind.
    .superRefine(
      (tls, { addIssue }) =>
        checkTls(tls, read, (key, text) => addIssue({ ...predicate('conflict', text), path: [key] })),
      {
        when: ({ value }) => isMap(value),
      },
    )
    .transform((tls): TlsSettings => {
      const pem = (key: PemKey) => pemOf(tls, key, read, () => {})?.text
      return {
        cert: pem('cert_file') ?? '',
        key: pem('key_file') ?? '',
        clientCa: pem('client_ca_file') ?? null,
        clientAuth: tls.client_auth_type,
        allowedSans: tls.client_allowed_sans ?? [],
        minVersion: tls.min_version,
      }
    })
    .nullable()
  return z.preprocess((raw) => (isMap(raw) && Object.keys(raw).length === 0 ? null : raw), tls).default(null)
}

type PemKey = 'cert_file' | 'key_file' | 'client_ca_file'
type Wrong = (key: keyof Written, predicate: string) => void

interface PemFile {
  readonly text: string
  readonly key: PemKey
}

function checkTls(tls: Written, read: ReadFile, wrong: Wrong): void {
  const certificate = certificateIn(pemOf(tls, 'cert_file', read, wrong), wrong)
  const privateKey = keyIn(pemOf(tls, 'key_file', read, wrong), wrong)
  certificateIn(pemOf(tls, 'client_ca_file', read, wrong), wrong)
  if (certificate !== null && privateKey !== null && !certificate.checkPrivateKey(privateKey))
    wrong('key_file', 'contains the key of another certificate')
  // Settings of client certificates that would have no effect or allow too much.
  const { client_auth_type: type, client_ca_file: ca = null, client_allowed_sans: names } = tls
  if (ca !== null && type === 'NoClientCert')
    wrong('client_auth_type', 'requests no client certificate, but there is a client CA')
  if (ca === null && (type === 'VerifyClientCertIfGiven' || type === 'RequireAndVerifyClientCert'))
    wrong('client_auth_type', `is ${type} without client_ca_file; expected a client CA`)
  if (names !== undefined && !/^Require/.test(type))
    wrong('client_allowed_sans', 'needs the client_auth_type RequireAndVerifyClientCert (or RequireAnyClientCert)')
}

function pemOf(tls: Written, key: PemKey, read: ReadFile, wrong: Wrong): PemFile | null {
  const file = tls[key]
  if (typeof file !== 'string') return null
  // Checked before the file is named in a message, because it may be the key itself.
  if (/-----BEGIN|\n/.test(file)) {
    wrong(key, 'is a PEM text; expected the path of a file')
    return null
  }
  const found = read(file)
  if ('text' in found) return { text: found.text, key }
  wrong(key, `names the file \`${file}\`: ${found.why}`)
  return null
}

function certificateIn(pem: PemFile | null, wrong: Wrong): X509Certificate | null {
  if (pem === null) return null
  const blocks = pem.text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  try {
    const [first] = blocks.map((block) => new X509Certificate(block))
    if (first !== undefined) return first
  } catch {
    // Reported below without the unhelpful message of OpenSSL.
  }
  wrong(pem.key, 'contains no readable PEM certificate')
  return null
}

/** Its messages contain nothing of the key. */
function keyIn(pem: PemFile | null, wrong: Wrong): KeyObject | null {
  if (pem === null) return null
  try {
    return createPrivateKey(pem.text)
  } catch {
    const isLocked = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pem.text)
    wrong(pem.key, isLocked ? 'is protected by a passphrase; expected a key without one' : 'contains no PEM key')
    return null
  }
}
