import { resolve } from 'node:path'
import * as z from 'zod'
import { readTextFile } from '../model/process/files.ts'
import { isObject } from '../model/text/json.ts'
import type { Catalogue } from './catalogue.ts'
import {
  ConfigError,
  formatPath,
  type KeyPath,
  kindOf,
  type Locate,
  type Mistake,
  validate,
  valueAt,
  whyUnreadable,
} from './mistakes.ts'
import { type ReadOwnChecks, readOwnChecks } from './own-checks.ts'
import { createProbe, type Environment, exists, isAtLeast, type Purpose } from './probes.ts'
import { configurationSchema, type Written } from './schema.ts'
import { type Settings, settingsOf } from './settings.ts'
import { readWaiverFiles, type WaiverFiles, waiverFolder } from './waiver-files.ts'
import { readWebSettings } from './web-settings.ts'
import { readYaml } from './yaml-file.ts'

export const defaultFile = 'config/tenantwatch.yaml'
const environmentSource = 'environment'

export interface LoadOptions {
  readonly file?: string | undefined
  /** The text of the configuration file, instead of reading it. */
  readonly text?: string | undefined
  readonly env: Environment
  readonly catalogue: Catalogue
  readonly cwd?: string
  readonly purpose: Purpose
}

export interface LoadedSettings {
  readonly settings: Settings
  /** The same as it is written in a file, with the defaults. */
  readonly written: Written
  /** Path of the file, or `environment`. */
  readonly source: string
  readonly ignored: readonly Ignored[]
}

/** A key or variable that has no effect. */
export interface Ignored {
  readonly name: string
  /** Such as `a URL of the database is set`. */
  readonly because: string
}

const noWaiverFiles: WaiverFiles = { waivers: [], problems: [] }
const noOwnChecks: ReadOwnChecks = { checks: [], problems: [] }

/** docs/install.md#first-configuration. @throws ConfigError with every mistake and its place, without secrets. */
export function loadSettings(options: LoadOptions): LoadedSettings {
  const { env, catalogue, purpose, cwd = process.cwd() } = options
  // For the demo and for tests.
  const cronSeconds = env['TENANTWATCH_CRON_SECONDS'] === '1'
  const file = findFile(options.file, env, cwd)
  const yaml = file === null ? null : readYaml(file.path, options.text ?? textOf(file, cwd))
  if (yaml !== null && yaml.mistakes.length > 0) throw new ConfigError(yaml.mistakes)
  const given = yaml === null ? tenantOf(env) : (yaml.raw ?? {})
  if (!isObject(given)) {
    const text = `the file is ${kindOf(given)}; expected a map of \`key: value\` pairs`
    throw new ConfigError([{ code: 'invalid', key: '', line: 1, text, sentence: `${file?.path}: ${text}` }])
  }
  const variables = new Map<string, string>(yaml === null ? tenantVariables : [])
  const { raw, ignoredPath } = withVariables(withoutExtensions(given), env, variables)
  const ignored = ignoredPath === null ? [] : [{ name: ignoredPath, because: 'a URL of the database is set' }]
  // A file may name the variables of the token itself.
  if (file !== null && setValue(env, 'TENANTWATCH_BASE_URL') !== undefined)
    ignored.push({ name: 'TENANTWATCH_BASE_URL', because: `the configuration is that of ${file.path}` })
  const problems: (string | Mistake)[] = []
  const missing = yaml === null && isAtLeast(purpose, 'request') ? tokenVariableProblem(env) : undefined
  if (missing !== undefined) problems.push(`environment: ${missing}`)
  const folder = valueAt(raw, ['ownChecks', 'folder'])
  const builtIn = catalogue.checks.map(({ id }) => id)
  const own = typeof folder === 'string' && /\S/.test(folder) ? readOwnChecks(folder, cwd, builtIn) : noOwnChecks
  if (isAtLeast(purpose, 'read')) problems.push(...own.problems)
  const probe = createProbe({ cwd, env, purpose })
  const files = file === null ? noWaiverFiles : readWaiverFiles(waiverFolder(file.path), cwd)
  problems.push(...files.problems)
  const inline: unknown = raw['waivers'] ?? []
  const listed: readonly unknown[] = Array.isArray(inline) ? inline : []
  const further = listed === inline ? files.waivers : []
  const whole = further.length === 0 ? raw : { ...raw, waivers: [...listed, ...further.map(({ waiver }) => waiver)] }
  const locate: Locate = (path, at) => {
    const [top, index] = path
    const inFile = top === 'waivers' ? further[Number(index) - listed.length] : undefined
    if (inFile !== undefined) return inFile.locate(path.slice(2), at)
    const place = writtenPath(raw, path)
    const name = formatPath(place)
    const variable = variables.get(name)
    if (yaml !== null && variable === undefined) return yaml.locate(place, at)
    return { prefix: 'environment', line: null, order: Number.POSITIVE_INFINITY, name: variable ?? name, path: place }
  }
  const { value: written, mistakes } = validate(
    configurationSchema(withOwn(catalogue, own), probe, cronSeconds),
    withGeneral(whole),
    locate,
  )
  problems.push(...mistakes)
  const webConfig = valueAt(raw, ['server', 'webConfig'])
  if (isAtLeast(purpose, 'serve') && typeof webConfig === 'string' && exists(resolve(cwd, webConfig)))
    problems.push(...readWebSettings(webConfig, cwd).mistakes)
  if (written === undefined || problems.length > 0) throw new ConfigError(problems)
  return { settings: settingsOf(written, own.checks), written, source: file?.path ?? environmentSource, ignored }
}

interface NamedFile {
  readonly path: string
  readonly namedBy: string
}

/** --config, else TENANTWATCH_CONFIG, else the default file if it exists, else the environment (null). */
function findFile(file: string | undefined, env: Environment, cwd: string): NamedFile | null {
  if (file === '') throw new ConfigError(['--config is empty; expected the path of the configuration file'])
  if (file !== undefined) return { path: file, namedBy: ', named by --config' }
  const named = env['TENANTWATCH_CONFIG']
  if (named) return { path: named, namedBy: ', named by TENANTWATCH_CONFIG' }
  if (exists(resolve(cwd, defaultFile))) return { path: defaultFile, namedBy: '' }
  if (['TENANTWATCH_BASE_URL', 'TENANTWATCH_TOKEN', 'TENANTWATCH_TOKEN_FILE'].some((name) => env[name])) return null
  throw new ConfigError([
    `No configuration found: write ${defaultFile} with "tenantwatch config init" (or name another file with --config or TENANTWATCH_CONFIG), or set ` +
      'TENANTWATCH_BASE_URL together with TENANTWATCH_TOKEN or TENANTWATCH_TOKEN_FILE; "tenantwatch demo" needs none',
  ])
}

function textOf({ path, namedBy }: NamedFile, cwd: string): string {
  try {
    return readTextFile(resolve(cwd, path))
  } catch (error) {
    throw new ConfigError([`Cannot read the configuration file ${path}${namedBy}: ${whyUnreadable(error)}`])
  }
}

/** Empty counts as not set. */
function setValue(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value === undefined || value.trim() === '' ? undefined : value
}

const tenantVariables = [
  ['tenants[0].baseUrl', 'TENANTWATCH_BASE_URL'],
  ['tenants[0].auth.token.file', 'TENANTWATCH_TOKEN_FILE'],
] as const

/** The configuration from TENANTWATCH_BASE_URL and a token without a file: one tenant, `default`. */
function tenantOf(env: Environment): Fields {
  const file = setValue(env, 'TENANTWATCH_TOKEN_FILE')
  const token = file === undefined ? { env: 'TENANTWATCH_TOKEN' } : { file }
  // A missing token is reported once, by tokenVariableProblem.
  const isMissing = file === undefined && setValue(env, 'TENANTWATCH_TOKEN') === undefined
  const auth = { token: isMissing ? { command: ['false'] } : token }
  return { tenants: [{ name: 'default', baseUrl: setValue(env, 'TENANTWATCH_BASE_URL'), auth }] }
}

function tokenVariableProblem(env: Environment): string | undefined {
  const names = ['TENANTWATCH_TOKEN', 'TENANTWATCH_TOKEN_FILE'].filter((name) => setValue(env, name) !== undefined)
  if (names.length === 1) return undefined
  return names.length === 2
    ? 'TENANTWATCH_TOKEN and TENANTWATCH_TOKEN_FILE are both set; expected exactly one'
    : 'neither TENANTWATCH_TOKEN nor TENANTWATCH_TOKEN_FILE is set; expected exactly one'
}

type Fields = Readonly<Record<string, unknown>>

/** Keys that begin with `x-` hold what anchors refer to. */
function withoutExtensions(raw: Fields): Fields {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !key.startsWith('x-')))
}

/** Applies the variables that override keys, and adds their names by key to `variables`. */
function withVariables(given: Fields, env: Environment, variables: Map<string, string>) {
  const raw = { ...given }
  const listen = setValue(env, 'TENANTWATCH_LISTEN')
  const server = raw['server'] ?? {}
  if (listen !== undefined && isObject(server)) {
    raw['server'] = { ...server, listen }
    variables.set('server.listen', 'TENANTWATCH_LISTEN')
  }
  // A URL takes precedence over a path, even if the URL is in the file and the path in the environment.
  const path = setValue(env, 'TENANTWATCH_STORE_PATH')
  const store = isObject(raw['store']) ? raw['store'] : {}
  const ignored = path === undefined ? null : 'TENANTWATCH_STORE_PATH'
  if (setValue(env, 'TENANTWATCH_STORE_URL') !== undefined) {
    raw['store'] = { url: { env: 'TENANTWATCH_STORE_URL' } }
    for (const key of ['store', 'store.url', 'store.url.env']) variables.set(key, 'TENANTWATCH_STORE_URL')
    return { raw, ignoredPath: ignored ?? (store['path'] === undefined ? null : 'store.path') }
  }
  if ((store['url'] ?? null) !== null) return { raw, ignoredPath: ignored }
  // What is no map is a mistake of its own.
  if (path !== undefined && isObject(raw['store'] ?? {})) {
    raw['store'] = { ...store, path }
    variables.set('store.path', 'TENANTWATCH_STORE_PATH')
  }
  return { raw, ignoredPath: null }
}

/** An own check is known to the schema by its id; beside a file with a mistake, any other id may be that of its check. */
function withOwn(catalogue: Catalogue, { checks, problems }: ReadOwnChecks): Catalogue {
  const own = checks.map(({ id }) => ({ id, options: z.strictObject({}) }))
  return { checks: [...catalogue.checks, ...own], incomplete: problems.length > 0 }
}

/** The sections that a tenant may set for itself, with the depth of the keys that it replaces. */
const depths: Readonly<Record<string, number>> = {
  api: 1,
  freshness: 1,
  portalUrl: 1,
  checks: 2,
  resources: 2,
  schedule: 2,
}

/** The configuration where each section of a tenant has the general keys that the tenant does not set. */
function withGeneral(raw: Fields): Fields {
  const { tenants } = raw
  if (!Array.isArray(tenants)) return raw
  const { evaluate, timezone, ...schedule } = isObject(raw['schedule']) ? raw['schedule'] : {}
  const general: Fields = { ...raw, schedule }
  const whole = tenants.map((tenant: unknown) => {
    if (!isObject(tenant)) return tenant
    return Object.fromEntries(
      Object.entries(tenant).map(([key, own]) => [key, merged(general[key], own, depths[key] ?? 0)]),
    )
  })
  return { ...raw, tenants: whole }
}

function merged(general: unknown, own: unknown, depth: number): unknown {
  if (depth === 0) return own
  const [below, above] = [general ?? {}, own ?? {}]
  if (!isObject(below) || !isObject(above)) return above
  // Object.fromEntries, unlike an assignment, takes a key such as __proto__ as it is.
  const replaced = Object.entries(above).map(([key, value]) => [key, merged(below[key], value, depth - 1)])
  return Object.fromEntries([...Object.entries(below), ...replaced])
}

/** The path at which a setting is written: that of the general section, unless the tenant sets the key itself. */
function writtenPath(raw: unknown, path: KeyPath): KeyPath {
  const [top, , section = ''] = path
  const depth = top === 'tenants' ? depths[section] : undefined
  if (depth === undefined || path.length < 4) return path
  const general = path.slice(2)
  const isOwn = valueAt(raw, path.slice(0, 3 + depth)) !== undefined
  return isOwn || valueAt(raw, general.slice(0, 1 + depth)) === undefined ? path : general
}
