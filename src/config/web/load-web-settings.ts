import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { readRegularFileSync } from '../../model/process/files.ts'
import { emptyAsMap, flag, section, text } from '../leaves.ts'
import { kindOf, locateIn, validate } from '../validate.ts'
import { ConfigError, type Mistake, whyUnreadable } from '../yaml/errors.ts'
import { isMap } from '../yaml/key-path.ts'
import { readYaml } from '../yaml/yaml-file.ts'
import { type ReadFile, tlsSection } from './tls.ts'
import { openWeb, type WebSettings } from './web-settings.ts'

/** Version, cost, salt and hash. A cost above 18 takes half a minute for every wrong password. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|1[0-8])\$[./A-Za-z\d]{53}$/

/** The format of Prometheus' exporter-toolkit. */
function webSchema(read: ReadFile) {
  /** An empty value keeps the default header. */
  const header = (wanted = 'one line of printable ASCII', pattern = /^[\x20-\x7e]*$/) => text(wanted, pattern).nullish()
  const headers = section({
    'Content-Security-Policy': header(),
    'Strict-Transport-Security': header(),
    'X-Content-Type-Options': header('nosniff', /^(nosniff)?$/),
    'X-Frame-Options': header('deny or sameorigin', /^(deny|sameorigin)?$/i),
    'X-XSS-Protection': header(),
  })
  return z
    .strictObject({
      tls_server_config: tlsSection(read),
      http_server_config: section({ http2: flag().default(false), headers: headers.prefault({}) }).prefault({}),
      basic_auth_users: users().optional(),
    })
    .transform(({ tls_server_config: tls, http_server_config: { http2, headers }, basic_auth_users = {} }) => ({
      tls,
      users: new Map(Object.entries(basic_auth_users)),
      headers: Object.fromEntries(
        Object.entries(headers).filter((entry): entry is [string, string] => Boolean(entry[1])),
      ),
      wantsHttp2: http2,
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
  /** A sentence for each mistake, with its place and without hashes and keys. */
  readonly problems: readonly string[]
}

/** `path` is relative to `cwd` and used in messages. */
export function readWebSettings(path: string, cwd: string): WebReading {
  const whole = resolve(cwd, path)
  const read: ReadFile = (file) => readText(resolve(dirname(whole), file))
  const reading = (settings: WebSettings, mistakes: readonly Mistake[]) => ({
    settings,
    mistakes,
    problems: mistakes.map(({ sentence }) => sentence),
  })
  const broken = (sentence: string) =>
    reading(openWeb, [{ code: 'invalid', key: '', line: null, text: sentence, sentence }])
  const source = read(whole)
  if ('why' in source) return broken(`Cannot read the web configuration file ${path}: ${source.why}`)
  const yaml = readYaml(path, source.text)
  if (!yaml.readable) return reading(openWeb, yaml.mistakes)
  const raw = yaml.raw ?? {}
  if (!isMap(raw)) return broken(`${path}: the file is ${kindOf(raw)}; expected a map of \`key: value\` pairs`)
  if (Object.keys(raw).length === 0)
    return broken(
      `${path}: the file is empty, which would allow access without authentication; expected one of tls_server_config, http_server_config, basic_auth_users`,
    )
  const { value = openWeb, mistakes } = validate<WebSettings>(webSchema(read), raw, locateIn(yaml))
  return reading(value, [...yaml.mistakes, ...mistakes])
}

/** @throws ConfigError with every mistake. */
export function loadWebSettings(path: string, cwd: string): WebReading {
  const reading = readWebSettings(path, cwd)
  if (reading.mistakes.length > 0) throw new ConfigError(reading.mistakes)
  return reading
}

function readText(path: string): ReturnType<ReadFile> {
  try {
    return { text: readRegularFileSync(path).toString() }
  } catch (error) {
    return { why: whyUnreadable(error) }
  }
}
