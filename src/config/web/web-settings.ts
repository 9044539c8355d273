import type { SecureVersion } from 'node:tls'

/** Client authentication types of Go's crypto/tls, as in the format of the file. */
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
}

export interface WebSettings {
  /** Null = plain HTTP. */
  readonly tls: TlsSettings | null
  /** Bcrypt hashes by user name; empty = no basic authentication. */
  readonly users: ReadonlyMap<string, string>
  /** Headers of every response; they replace default headers of the same name. */
  readonly headers: Readonly<Record<string, string>>
  readonly wantsHttp2: boolean
}

export const openWeb: WebSettings = { tls: null, users: new Map(), headers: {}, wantsHttp2: false }

/** True when everything but health and readiness requires authentication. */
export function isProtected({ users, tls }: WebSettings): boolean {
  return users.size > 0 || tls?.clientAuth === 'RequireAndVerifyClientCert'
}
