import { ConfigError } from './yaml/errors.ts'
import { isMap } from './yaml/key-path.ts'

export const defaultFile = 'config/tenantwatch.yaml'
export const environmentSource = 'environment'

export type Environment = Readonly<Record<string, string | undefined>>

export type Source =
  | { readonly kind: 'file'; readonly path: string; readonly namedBy: string }
  | { readonly kind: 'environment' }

const settingVariables = ['TENANTWATCH_BASE_URL', 'TENANTWATCH_TOKEN', 'TENANTWATCH_TOKEN_FILE']

/** --config, else TENANTWATCH_CONFIG, else the default file if it exists, else the environment. Empty counts as not set. */
export function findSource(file: string | undefined, env: Environment, exists: (path: string) => boolean): Source {
  if (file === '') throw new ConfigError(['--config is empty; expected the path of the configuration file'])
  if (file !== undefined) return { kind: 'file', path: file, namedBy: '--config' }
  const named = env['TENANTWATCH_CONFIG']
  if (named) return { kind: 'file', path: named, namedBy: 'TENANTWATCH_CONFIG' }
  if (exists(defaultFile)) return { kind: 'file', path: defaultFile, namedBy: 'default' }
  if (settingVariables.some((name) => env[name])) return { kind: 'environment' }
  throw new ConfigError([
    `No configuration found: write ${defaultFile} with "tenantwatch config init" (or name another file with --config or TENANTWATCH_CONFIG), or set ` +
      'TENANTWATCH_BASE_URL together with TENANTWATCH_TOKEN or TENANTWATCH_TOKEN_FILE; "tenantwatch demo" needs none',
  ])
}

/** Value of --config with which a command reads the same configuration; undefined = it is found without. */
export function namedFile(source: string): string | undefined {
  return source === defaultFile || source === environmentSource ? undefined : source
}

export interface FromEnvironment {
  readonly raw: unknown
  readonly variables: ReadonlyMap<string, string>
  /** Key or variable of the path that a URL of the store replaces; null = none. */
  readonly ignoredPath: string | null
}

export function applyOverrides(raw: unknown, env: Environment): FromEnvironment {
  const variables = new Map<string, string>()
  if (!isMap(raw) && raw !== undefined && raw !== null) return { raw, variables, ignoredPath: null }
  const whole: Record<string, unknown> = { ...raw }
  const ignoredPath = overrideStore(whole, env, variables)
  const listen = setValue(env, 'TENANTWATCH_LISTEN')
  const server = whole['server'] ?? {}
  if (listen !== undefined && isMap(server)) {
    whole['server'] = { ...server, listen }
    variables.set('server.listen', 'TENANTWATCH_LISTEN')
  }
  return { raw: whole, variables, ignoredPath }
}

/** A URL takes precedence over a path, even if the URL is in the file and the path in the environment. */
function overrideStore(whole: Record<string, unknown>, env: Environment, variables: Map<string, string>) {
  const path = setValue(env, 'TENANTWATCH_STORE_PATH')
  const hasUrl = setValue(env, 'TENANTWATCH_STORE_URL') !== undefined
  const written = isMap(whole['store']) ? whole['store'] : {}
  const ignored = path === undefined ? null : 'TENANTWATCH_STORE_PATH'
  if (hasUrl) {
    whole['store'] = { url: { env: 'TENANTWATCH_STORE_URL' } }
    for (const key of ['store', 'store.url', 'store.url.env']) variables.set(key, 'TENANTWATCH_STORE_URL')
    return ignored ?? (written['path'] === undefined ? null : 'store.path')
  }
  if (written['url'] !== undefined && written['url'] !== null) return ignored
  if (path === undefined) return null
  whole['store'] = { path }
  variables.set('store.path', 'TENANTWATCH_STORE_PATH')
  return null
}

/** The configuration from TENANTWATCH_BASE_URL and a token without a file: one tenant, `default`. */
export function fromEnvironment(env: Environment): FromEnvironment {
  const tenant = { name: 'default', baseUrl: setValue(env, 'TENANTWATCH_BASE_URL'), auth: { token: tokenOf(env) } }
  const { raw, variables, ignoredPath } = applyOverrides({ tenants: [tenant] }, env)
  const names = new Map(variables)
  names.set('tenants[0].baseUrl', 'TENANTWATCH_BASE_URL')
  names.set('tenants[0].auth.token.file', 'TENANTWATCH_TOKEN_FILE')
  return { raw, variables: names, ignoredPath }
}

export function tokenVariableProblem(env: Environment): string | undefined {
  const token = setValue(env, 'TENANTWATCH_TOKEN') !== undefined
  const file = setValue(env, 'TENANTWATCH_TOKEN_FILE') !== undefined
  if (token && file) return 'TENANTWATCH_TOKEN and TENANTWATCH_TOKEN_FILE are both set; expected exactly one'
  if (token || file) return undefined
  return 'neither TENANTWATCH_TOKEN nor TENANTWATCH_TOKEN_FILE is set; expected exactly one'
}

function tokenOf(env: Environment): unknown {
  const file = setValue(env, 'TENANTWATCH_TOKEN_FILE')
  if (file !== undefined) return { file }
  if (setValue(env, 'TENANTWATCH_TOKEN') !== undefined) return { env: 'TENANTWATCH_TOKEN' }
  // Placeholder: tokenVariableProblem reports the missing token.
  return { command: ['false'] }
}

function setValue(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value === undefined || value.trim() === '' ? undefined : value
}
