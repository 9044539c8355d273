import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureVersion } from 'node:tls'
import * as z from 'zod'
import { flag, text } from '../yaml/leaves.ts'
import type { KeyPath, Report } from '../yaml/report.ts'
import { readSection, type Section } from '../yaml/section.ts'
import { type ClientAuthType, clientAuthTypes, type TlsSettings } from './web-settings.ts'

interface WebContext {
  readonly report: Report
  /** Reads a file; a relative path starts from the folder of the configuration. */
  read(path: string): { readonly text: string } | { readonly why: string }
}

/** Supported TLS versions; older ones are insecure and disabled in OpenSSL. */
const tlsVersions: Readonly<Record<string, SecureVersion>> = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' }

/** Suites of TLS 1.3 are always enabled, as in Go. */
const ofTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'] as const

/** OpenSSL names of the suites that Go calls secure, by Go name. */
const cipherSuites: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ofTls13.map((name) => [name, name])),
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
}

const curves: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
}

function opensslCiphers(names: readonly string[]): string {
  return [...new Set([...ofTls13, ...names])].join(':')
}

const section = 'tls_server_config'
const pem = () => text('expected a PEM text').nullish()
const wantedAuthType = { error: `expected one of ${clientAuthTypes.join(', ')}` }
const wantedVersion = 'expected TLS12 or TLS13; older versions are broken'
const wantedSuite = 'expected a suite that Go calls secure, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'
const file = () => text('expected the path of a PEM file').nullish()

const fields = {
  cert: pem(),
  cert_file: file(),
  key: pem(),
  key_file: file(),
  client_ca: pem(),
  client_ca_file: file(),
  client_auth_type: z.enum([...clientAuthTypes, 'RequireClientCert', ''], wantedAuthType).optional(),
  client_allowed_sans: z.array(text('expected a DNS name, an IP or e-mail address, or a URI')).optional(),
  min_version: named(tlsVersions, wantedVersion).optional(),
  max_version: named(tlsVersions, wantedVersion).optional(),
  cipher_suites: z.array(named(cipherSuites, wantedSuite)).optional(),
  prefer_server_cipher_suites: flag().optional(),
  curve_preferences: z.array(named(curves, `expected one of ${Object.keys(curves).join(', ')}`)).optional(),
}

export function readTls(raw: unknown, context: WebContext): TlsSettings | null {
  const { report } = context
  const written = readSection(fields, raw, [section], report)
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).length === 0) return null
  const [cert, key] = [readPem(written, 'cert', context), readPem(written, 'key', context)]
  for (const name of ['cert', 'key'] as const) {
    const isThere = written[name] ?? written[`${name}_file`]
    if (isThere === undefined) report.problem([section], `names no ${name}; expected ${name}_file (or ${name}, inline)`)
  }
  const clientCa = readPem(written, 'client_ca', context)
  if (clientCa !== undefined) readCertificates(clientCa, report)
  const clientAuth = authTypeOf(written.client_auth_type)
  checkClientAuth(clientAuth, written, context)
  if (cert === undefined || key === undefined) return null
  checkKeyPair(cert, key, report)
  const settings = tlsOf({ cert, key, clientCa, clientAuth }, written)
  if (report.sentences().length === 0) checkWhole(settings, context)
  return settings
}

type Written = Section<typeof fields>

function authTypeOf(written: Written['client_auth_type']): ClientAuthType {
  if (written === undefined || written === '') return 'NoClientCert'
  return written === 'RequireClientCert' ? 'RequireAnyClientCert' : written
}

/** Reports settings of client certificates that would have no effect or allow too much. */
function checkClientAuth(type: ClientAuthType, written: Written, { report }: WebContext): void {
  const hasCa = (written.client_ca ?? written.client_ca_file ?? null) !== null
  if (hasCa && type === 'NoClientCert') {
    report.problem([section], 'has a client CA, but its client_auth_type requests no client certificate')
  }
  if (!hasCa && (type === 'VerifyClientCertIfGiven' || type === 'RequireAndVerifyClientCert')) {
    report.problem([section], `has the client_auth_type ${type} without client_ca_file; expected a client CA`)
  }
  const isRequired = type === 'RequireAnyClientCert' || type === 'RequireAndVerifyClientCert'
  if (written.client_allowed_sans !== undefined && !isRequired) {
    report.problem(
      [section, 'client_allowed_sans'],
      'needs the client_auth_type RequireAndVerifyClientCert (or RequireAnyClientCert)',
    )
  }
}

interface Parts {
  readonly cert: PemSource
  readonly key: PemSource
  readonly clientCa: PemSource | undefined
  readonly clientAuth: ClientAuthType
}

function tlsOf({ cert, key, clientCa, clientAuth }: Parts, written: Written): TlsSettings {
  const { cipher_suites = [], curve_preferences = [] } = written
  return {
    cert: cert.text,
    key: key.text,
    clientCa: clientCa?.text ?? null,
    clientAuth,
    allowedSans: written.client_allowed_sans ?? [],
    minVersion: tlsVersions[written.min_version ?? 'TLS12'] ?? 'TLSv1.2',
    maxVersion: tlsVersions[written.max_version ?? 'TLS13'] ?? 'TLSv1.3',
    ciphers:
      cipher_suites.length === 0 ? null : opensslCiphers(cipher_suites.map((name) => cipherSuites[name] ?? name)),
    curves: curve_preferences.length === 0 ? null : curve_preferences.map((name) => curves[name] ?? name).join(':'),
    honorCipherOrder: written.prefer_server_cipher_suites ?? true,
  }
}

function checkWhole(settings: TlsSettings, { report }: WebContext): void {
  if (settings.minVersion > settings.maxVersion) {
    report.problem([section], 'has a min_version above its max_version')
    return
  }
  const { cert, key, ciphers, curves: ecdhCurve, minVersion, maxVersion } = settings
  try {
    const chosen = { ...(ciphers !== null && { ciphers }), ...(ecdhCurve !== null && { ecdhCurve }) }
    createSecureContext({ cert, key, minVersion, maxVersion, ...chosen })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    report.problem([section], `cannot be used by OpenSSL (${code})`)
  }
}

function named(names: Readonly<Record<string, string>>, wanted: string): z.ZodType<string> {
  return text(wanted).refine((name) => Object.hasOwn(names, name), { error: wanted })
}

function readCertificates({ text, path }: PemSource, report: Report): readonly X509Certificate[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block))
  } catch {
    // Reported below without the unhelpful message of OpenSSL.
  }
  report.problem(path, 'contains no readable PEM certificate')
  return undefined
}

/** Its messages contain nothing of the key. */
function checkKeyPair(cert: PemSource, key: PemSource, report: Report): void {
  const [first] = readCertificates(cert, report) ?? []
  const own = readKey(key, report)
  if (first === undefined || own === undefined || first.checkPrivateKey(own)) return
  report.problem(key.path, 'contains the key of another certificate')
}

function readKey({ text, path }: PemSource, report: Report): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    const isLocked = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)
    report.problem(path, isLocked ? 'is protected by a passphrase; expected a key without one' : 'contains no PEM key')
    return undefined
  }
}

interface PemSource {
  readonly text: string
  readonly path: KeyPath
}

function readPem(
  written: Readonly<Partial<Record<string, unknown>>>,
  name: 'cert' | 'key' | 'client_ca',
  { report, read }: WebContext,
): PemSource | undefined {
  const [inline, file] = [written[name], written[`${name}_file`]]
  if (typeof inline === 'string' && typeof file === 'string') {
    report.problem([section], `names 2 sources (${name}, ${name}_file); expected exactly one of them`)
    return undefined
  }
  if (typeof inline === 'string') return { text: inline, path: [section, name] }
  if (typeof file !== 'string') return undefined
  const path = [section, `${name}_file`]
  // Checked before the file is named in a message, because it may be the key itself.
  if (/-----BEGIN|\n/.test(file)) {
    report.problem(path, `is a string instead of the path of a file; expected the PEM text under \`${name}\``)
    return undefined
  }
  const found = read(file)
  if ('text' in found) return { text: found.text, path }
  report.problem(path, `names the file \`${file}\`: ${found.why}`)
  return undefined
}
