import type { SecureVersion } from 'node:tls'

/** What is asked of a client's certificate, in the words of Go's crypto/tls, which the file's format comes from. */
export const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const

export type ClientAuthType = (typeof clientAuthTypes)[number]

/** TLS as Node takes it; certificates and key as PEM texts. */
export interface TlsSettings {
  readonly cert: string
  readonly key: string
  readonly clientCa: string | null
  readonly clientAuth: ClientAuthType
  /** Empty allows every name. */
  readonly allowedSans: readonly string[]
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  /** OpenSSL names in order of preference, joined by colons; null takes Node's own. */
  readonly ciphers: string | null
  readonly curves: string | null
  readonly honorCipherOrder: boolean
}

/** What the web configuration file says. */
export interface WebSettings {
  /** Null serves plain HTTP. */
  readonly tls: TlsSettings | null
  /** Bcrypt hashes by user name; empty asks nobody for a name. */
  readonly users: ReadonlyMap<string, string>
  /** Headers on every answer, in place of the server's own of the same name. */
  readonly headers: Readonly<Record<string, string>>
  /** True where the file asks for HTTP/2 in so many words. */
  readonly wantsHttp2: boolean
}

/** Without a file: plain HTTP for everybody. */
export const openWeb: WebSettings = { tls: null, users: new Map(), headers: {}, wantsHttp2: false }

/** True when only somebody who proved who they are gets beyond health and readiness. */
export function isProtected({ users, tls }: WebSettings): boolean {
  return users.size > 0 || tls?.clientAuth === 'RequireAndVerifyClientCert'
}
