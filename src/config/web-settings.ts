import { dirname, resolve } from 'node:path'
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import * as z from 'zod'
import { readTextFile } from '../model/process/files.ts'
import { isObject } from '../model/text/json.ts'
import { ConfigError, kindOf, type Mistake, predicate, validate, whyUnreadable } from './mistakes.ts'
import { emptyAsMap, text } from './values.ts'
import { readYaml } from './yaml-file.ts'

/** TLS as Node takes it; certificates and key as PEM texts. */
export interface TlsSettings {
  readonly cert: string
  readonly key: string
  /** Authority of the certificates that clients must present; null = they need none. */
  readonly clientCa: string | null
  readonly minVersion: SecureVersion
}

export interface WebSettings {
  /** Null = plain HTTP. */
  readonly tls: TlsSettings | null
  /** Bcrypt hashes by user name; empty = no basic authentication. */
  readonly users: ReadonlyMap<string, string>
}

export const openWeb: WebSettings = { tls: null, users: new Map() }

/** True when everything but health and readiness requires authentication. */
export function isProtected({ users, tls }: WebSettings): boolean {
  return users.size > 0 || (tls?.clientCa ?? null) !== null
}

/** Version, cost, salt and hash. A cost above 18 takes half a minute for every wrong password. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|1[0-8])\$[./A-Za-z\d]{53}$/

/** The format of Prometheus' exporter-toolkit. */
function webSchema(read: ReadFile) {
  return z
    .strictObject({
      tls_server_config: tlsSection(read),
      basic_auth_users: users().optional(),
    })
    .transform(({ tls_server_config: tls, basic_auth_users = {} }) => ({
      tls,
      users: new Map(Object.entries(basic_auth_users)),
    }))
}

function users() {
  const name = text('a user name of at most 128 characters without a colon', /^[^:\p{Cc}]{1,128}$/u)
  const hash = text('a bcrypt hash of cost 4 to 18, as `htpasswd -nBC 10 ""` prints it', bcryptHash)
  const error = 'without a user everybody would have access; expected a user, or omit the key'
  return emptyAsMap(z.record(name, hash).refine((written) => Object.keys(written).length > 0, { error }))
}

export interface WebReading {
  readonly settings: WebSettings
  readonly mistakes: readonly Mistake[]
}

/** `path` is relative to `cwd` and used in messages. */
export function readWebSettings(path: string, cwd: string): WebReading {
  const whole = resolve(cwd, path)
  const read: ReadFile = (file) => readTextFile(resolve(dirname(whole), file))
  const broken = (sentence: string): WebReading => {
    return { settings: openWeb, mistakes: [{ code: 'invalid', key: '', line: null, text: sentence, sentence }] }
  }
  let source: string
  try {
    source = read(whole)
  } catch (error) {
    return broken(`Cannot read the web configuration file ${path}: ${whyUnreadable(error)}`)
  }
  const yaml = readYaml(path, source)
  if (yaml.mistakes.length > 0) return { settings: openWeb, mistakes: yaml.mistakes }
  const raw = yaml.raw ?? {}
  if (!isObject(raw)) return broken(`${path}: the file is ${kindOf(raw)}; expected a map of \`key: value\` pairs`)
  if (Object.keys(raw).length === 0)
    return broken(
      `${path}: the file is empty, which would allow access without authentication; expected one of tls_server_config, basic_auth_users`,
    )
  const { value = openWeb, mistakes } = validate<WebSettings>(webSchema(read), raw, yaml.locate)
  return { settings: value, mistakes }
}

/** @throws ConfigError with every mistake. */
export function loadWebSettings(path: string, cwd: string): WebSettings {
  const { settings, mistakes } = readWebSettings(path, cwd)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return settings
}

/** Reads a file; a relative path starts from the folder of the configuration. */
type ReadFile = (path: string) => string

/** `tls_server_config`; null without content. */
function tlsSection(read: ReadFile) {
  const tls = z
    .strictObject({
      cert_file: pem(read, 'cert'),
      key_file: pem(read, 'key'),
      client_ca_file: pem(read, 'cert').nullish(),
      client_auth_type: z.enum(['NoClientCert', 'RequireAndVerifyClientCert']).default('NoClientCert'),
      min_version: z
        .enum(['TLS12', 'TLS13'], { error: 'expected TLS12 or TLS13; older versions are broken' })
        .default('TLS12')
        .transform((version): SecureVersion => (version === 'TLS12' ? 'TLSv1.2' : 'TLSv1.3')),
    })
    .transform((tls, { addIssue }): TlsSettings => {
      const wrong = (key: keyof typeof tls, text: string) => addIssue({ ...predicate('conflict', text), path: [key] })
      const { cert_file: cert, key_file: key, client_ca_file: ca } = tls
      const isRequired = tls.client_auth_type === 'RequireAndVerifyClientCert'
      if (!isUsable({ cert, key })) wrong('key_file', 'contains the key of another certificate')
      if (ca && !isRequired)
        wrong('client_auth_type', 'requires no client certificate; expected RequireAndVerifyClientCert for a client CA')
      if (!ca && isRequired) wrong('client_auth_type', 'requires a client certificate; expected a client_ca_file')
      return { cert, key, clientCa: ca ?? null, minVersion: tls.min_version }
    })
    .nullable()
  return z.preprocess((raw) => (isObject(raw) && Object.keys(raw).length === 0 ? null : raw), tls).default(null)
}

/** The text of a PEM file that TLS can use, by its path; messages contain nothing of the file. */
function pem(read: ReadFile, kind: 'cert' | 'key') {
  return text('the path of a PEM file').transform((file, context): string => {
    const wrong = (problem: string) => {
      context.addIssue(predicate('conflict', problem))
      return z.NEVER
    }
    // Checked before the file is named in a message, because it may be the key itself.
    if (/-----BEGIN|\n/.test(file)) return wrong('is a PEM text; expected the path of a file')
    let found: string
    try {
      found = read(file)
    } catch (error) {
      return wrong(`names the file \`${file}\`: ${whyUnreadable(error)}`)
    }
    // An empty text would count as none.
    if (isUsable({ [kind]: found || '\n' })) return found
    if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(found))
      return wrong('is protected by a passphrase; expected a key without one')
    return wrong(`contains no readable PEM ${kind === 'key' ? 'key' : 'certificate'}`)
  })
}

function isUsable(parts: SecureContextOptions): boolean {
  try {
    createSecureContext(parts)
    return true
  } catch {
    return false
  }
}
