import { ConfigError } from './yaml/config-error.ts'

/** Default path of the configuration file, relative to the working directory. */
export const defaultFile = 'config/tenantwatch.yaml'

export type Environment = Readonly<Record<string, string | undefined>>

export type Source =
  | { readonly kind: 'file'; readonly path: string; readonly namedBy: string }
  | { readonly kind: 'environment' }

const variables = ['TENANTWATCH_BASE_URL', 'TENANTWATCH_TOKEN', 'TENANTWATCH_TOKEN_FILE']

/**
 * Finds the source of the configuration: the file of --config, else of TENANTWATCH_CONFIG, else the default file if it
 * exists, else the environment. A file takes precedence over TENANTWATCH_BASE_URL; an empty variable counts as not set.
 */
export function findSource(file: string | undefined, env: Environment, exists: (path: string) => boolean): Source {
  if (file === '') throw new ConfigError(['--config is empty; want the path of the configuration file'])
  if (file !== undefined) return { kind: 'file', path: file, namedBy: '--config' }
  const named = env['TENANTWATCH_CONFIG']
  if (named) return { kind: 'file', path: named, namedBy: 'TENANTWATCH_CONFIG' }
  if (exists(defaultFile)) return { kind: 'file', path: defaultFile, namedBy: 'default' }
  if (variables.some((name) => env[name])) return { kind: 'environment' }
  throw new ConfigError([
    `No configuration found: write ${defaultFile} (or name another file with --config or TENANTWATCH_CONFIG), or set ` +
      'TENANTWATCH_BASE_URL together with TENANTWATCH_TOKEN or TENANTWATCH_TOKEN_FILE',
  ])
}
