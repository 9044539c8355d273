import { stringify } from 'yaml'
import { loadSettings } from '../../config/load-settings.ts'
import { defaultFile } from '../../config/source.ts'
import { UsageError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import { catalogue } from './configuration.ts'

export interface Given {
  readonly tenant?: string
  readonly baseUrl?: string
  readonly tokenEnv?: string
  readonly tokenFile?: string
  readonly header?: string
  readonly scheme?: string
  readonly ownClientId?: string
}

export type Complete = Given & { readonly tenant: string; readonly baseUrl: string }

export type Place = Pick<Io, 'cwd' | 'env'>

type Names = Readonly<Record<string, string>>

export const optionNames: Names = {
  name: '--tenant',
  baseUrl: '--base-url',
  'auth.token.env': '--token-env',
  'auth.token.file': '--token-file',
  'auth.header': '--header',
  'auth.scheme': '--scheme',
  ownClientId: '--own-client-id',
}

export const answerNames: Names = {
  name: 'The name',
  baseUrl: 'The address',
  'auth.token.env': 'That',
  'auth.header': 'The header',
  'auth.scheme': 'The scheme',
  ownClientId: 'The clientId',
}

const unwrittenKey = '; to send the token unencrypted, write the file by hand, with $1'

/**
 * Validates the answers like a configuration file that does not exist yet; null = valid. The sentences name an option
 * or an answer instead of a position in the file.
 */
export function mistakesIn(given: Given, { cwd, env }: Place, names: Names): string | null {
  const { tokenEnv, tokenFile } = given
  const token = tokenEnv === undefined && tokenFile === undefined ? { tokenEnv: 'TOKEN' } : {}
  const text = textOf({ tenant: 'default', baseUrl: 'https://api.example.com', ...given, ...token })
  // The loader shows no value below auth.
  const unshown = (whole: string, key: string) =>
    key === 'auth.header' ? `${names[key]} is ${shownHeader(given)}; expected ` : `${names[key] ?? whole} is not `
  try {
    const one = { exists: () => true, readFile: () => text, needsSecrets: false }
    loadSettings({ file: defaultFile, env, cwd, catalogue, ...one })
    return null
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message
      .split('\n')
      .map((line) =>
        line
          .replace(/^.*?:\d+:\d+: `tenants\[0\]\.(auth\.[\w.]+)` is a string; expected /, unshown)
          .replace(/^.*?:\d+:\d+: `tenants\[0\]\.([\w.]+)`/, (whole, key: string) => names[key] ?? whole)
          .replace(/, or (`api\.allowInsecureHttp: true`) in a configuration file .*/, unwrittenKey),
      )
      .join('\n')
  }
}

/** Omits possible tokens: the text after a colon, and long words with digits. */
function shownHeader({ header = '' }: Given): string {
  const shown = header.replace(/:.*/s, ': …').replaceAll(/(?=\S*\d)\S{20,}/g, '…')
  return JSON.stringify(shown.slice(0, 80))
}

/** A path that is often copied with the address; the program appends it itself. */
export const appended = /\/api\/public\/*$/i

export function textOf({
  tenant: name,
  baseUrl: address,
  tokenEnv,
  tokenFile,
  header,
  scheme,
  ownClientId,
}: Complete): string {
  const token = tokenEnv === undefined ? { file: tokenFile } : { env: tokenEnv }
  const auth = { ...(header !== undefined && { header }), ...(scheme !== undefined && { scheme }), token }
  const tenant = {
    name,
    baseUrl: address.replace(appended, ''),
    auth,
    ...(ownClientId !== undefined && { ownClientId }),
  }
  return [
    '# Configuration of tenantwatch. "tenantwatch config print" shows every key that is in force, defaults included,',
    '# "tenantwatch config check" names mistakes.',
    stringify({ tenants: [tenant] }, { lineWidth: 0 }).trimEnd(),
    ...(ownClientId === undefined
      ? ['    # ownClientId: clientId of the API client of this token; a list of API clients without it raises a hold']
      : []),
    '# The defaults of mirror, page and metrics:',
    '# store: { path: data/tenantwatch.db }',
    '# server: { listen: 127.0.0.1:9469 }',
    '',
  ].join('\n')
}
