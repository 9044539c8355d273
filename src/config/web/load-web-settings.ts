import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { readRegularFileSync } from '../../model/process/regular-file.ts'
import { ConfigError, whyUnreadable } from '../yaml/errors.ts'
import { flag, text } from '../yaml/leaves.ts'
import { createReport, kindOf, type Report } from '../yaml/report.ts'
import { isMapOrEmpty, readMap, readSection } from '../yaml/section.ts'
import { locateIn, readYaml } from '../yaml/yaml-file.ts'
import { readTls } from './tls.ts'
import { openWeb, type WebSettings } from './web-settings.ts'

/** An empty value keeps the default header. */
const free = () => text('expected one line of printable ASCII', /^[\x20-\x7e]*$/).nullish()

const fields = {
  'Content-Security-Policy': free(),
  'Strict-Transport-Security': free(),
  'X-Content-Type-Options': text('expected nosniff', /^(nosniff)?$/).nullish(),
  'X-Frame-Options': text('expected deny or sameorigin', /^(deny|sameorigin)?$/i).nullish(),
  'X-XSS-Protection': free(),
}

function readHeaders(raw: unknown, report: Report): Readonly<Record<string, string>> {
  const section = readSection(fields, raw, ['http_server_config', 'headers'], report)
  return Object.fromEntries(Object.entries(section).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

const key = 'basic_auth_users'

/** Version, cost, salt and hash. A cost above 18 takes half a minute for every wrong password. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|1[0-8])\$[./A-Za-z\d]{53}$/

function readUsers(raw: unknown, report: Report): ReadonlyMap<string, string> {
  const users = new Map<string, string>()
  const written = Object.entries(readMap(raw, [key], report))
  if (isMapOrEmpty(raw) && raw !== undefined && written.length === 0)
    report.problem(
      [key],
      'has no user, which would allow access without authentication; expected a user, or omit the key',
    )
  for (const [name, hash] of written) {
    // The message omits the name, which may be a line of a password file.
    if (!/^[^:\p{Cc}]{1,128}$/u.test(name))
      report.problem([key], 'has an invalid user name (empty, too long, or with a colon)')
    else if (typeof hash === 'string' && bcryptHash.test(hash)) users.set(name, hash)
    else report.wrong([key, name], hash, 'expected a bcrypt hash of cost 4 to 18, as `htpasswd -nBC 10 ""` prints it')
  }
  return users
}

export interface WebReading {
  readonly settings: WebSettings
  /** One sentence for each problem, with its place and without hashes and keys. */
  readonly problems: readonly string[]
  readonly versions: FileVersions
}

const httpFields = { http2: flag().optional(), headers: z.unknown() }

const keys = ['tls_server_config', 'http_server_config', 'basic_auth_users']

/** The file has the format of Prometheus' exporter-toolkit. `path` is relative to `cwd` and used in messages. */
export function readWebSettings(path: string, cwd: string): WebReading {
  const whole = resolve(cwd, path)
  const reader = versionedReader()
  const broken = (problems: readonly string[]) => ({ settings: openWeb, problems, versions: reader.versions })
  const source = reader.read(whole)
  if ('why' in source) return broken([`Cannot read the web configuration file ${path}: ${source.why}`])
  const yaml = readYaml(source.text)
  const problems = yaml.problems.map(({ position, sentence }) => `${path}:${position.text}: ${sentence}`)
  if (!yaml.readable) return broken(problems)
  const { raw } = yaml
  if (!isMapOrEmpty(raw)) return broken([`${path}: the file is ${kindOf(raw)}; expected a map of \`key: value\` pairs`])
  if (Object.keys(raw ?? {}).length === 0)
    return broken([
      `${path}: the file is empty, which would allow access without authentication; expected one of ${keys.join(', ')}`,
    ])
  const report = createReport(locateIn(path, yaml))
  const read = (file: string) => reader.read(resolve(dirname(whole), file))
  const map: Readonly<Record<string, unknown>> = { ...(raw as object | null) }
  for (const key of Object.keys(map)) if (!keys.includes(key)) report.unknownKey([key], keys)
  const settings = {
    tls: readTls(map['tls_server_config'], { report, read }),
    users: readUsers(map['basic_auth_users'], report),
    ...readHttp(map['http_server_config'], report),
  }
  return { settings, problems: [...problems, ...report.sentences()], versions: reader.versions }
}

/** @throws ConfigError with every problem. */
export function loadWebSettings(path: string, cwd: string): WebReading {
  const reading = readWebSettings(path, cwd)
  if (reading.problems.length > 0) throw new ConfigError(reading.problems)
  return reading
}

function readHttp(raw: unknown, report: Report): Pick<WebSettings, 'headers' | 'wantsHttp2'> {
  const { http2, headers } = readSection(httpFields, raw, ['http_server_config'], report)
  return { headers: readHeaders(headers, report), wantsHttp2: http2 === true }
}

export type FileVersions = ReadonlyMap<string, string>

/** Reads files and records their versions, also of unreadable files. */
export interface VersionedReader {
  readonly versions: FileVersions
  read(path: string): { readonly text: string } | { readonly why: string }
}

function versionedReader(): VersionedReader {
  const versions = new Map<string, string>()
  return {
    versions,
    read(path) {
      // Recorded before the read, so that a concurrent change causes another read.
      versions.set(path, versionOf(path))
      try {
        return { text: readRegularFileSync(path).toString() }
      } catch (error) {
        return { why: whyUnreadable(error) }
      }
    },
  }
}

/** True when one of the files changed. Follows links, so that a replaced folder is noticed. */
export function haveChanged(versions: FileVersions): boolean {
  return [...versions].some(([path, version]) => versionOf(path) !== version)
}

function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(':')
  } catch (error) {
    return whyUnreadable(error)
  }
}
