import * as z from 'zod'
import { mostSecretBytes } from '../model/process/regular-file.ts'
import { bareSecretHint, secretProblem } from '../model/secret-text.ts'
import { canCarryToken } from '../model/token-header.ts'
import type { AuthSettings, OAuth2Settings, SecretSource } from './settings.ts'
import { tokenUrl } from './urls.ts'
import type { Context } from './yaml/context.ts'
import { text } from './yaml/leaves.ts'
import type { KeyPath } from './yaml/report.ts'
import { isMap, isMapOrEmpty, readSection } from './yaml/section.ts'

const secretFields = {
  env: text(
    'expected the name of an environment variable (letters, digits and _, not beginning with a digit)',
    /^[A-Za-z_]\w{0,63}$/,
  ).optional(),
  file: text('expected the path of a file').optional(),
}

/**
 * True for a text that looks like a token, which people write where its source belongs: a long part with digits that is
 * no file name with an extension.
 */
function mayBeToken(text: string): boolean {
  const isPath = /^(~|\.{0,2})\//.test(text)
  return !isPath && text.split('/').some((part) => /^(?=.*\d).{20,}$/s.test(part) && !/\.[a-z]{1,8}$/.test(part))
}

function checkSecret(section: { env?: string; file?: string }, path: KeyPath, context: Context): void {
  const { env, file } = section
  if (file !== undefined && mayBeToken(file) && !context.exists(file)) {
    context.report.problem(
      [...path, 'file'],
      'names no file (not shown, as it may be a token); expected the path of a file',
    )
    return
  }
  if (!context.needsSecrets) return
  if (env !== undefined && (context.env[env] ?? '').trim() === '') {
    const state = context.env[env] === undefined ? 'not set' : 'empty'
    context.report.problem([...path, 'env'], `names ${variable(env)}, which is ${state}`)
  } else if (env !== undefined && context.strict) {
    const problem = secretProblem(context.env[env] ?? '')
    if (problem !== null)
      context.report.problem([...path, 'env'], `names ${variable(env)}, which ${problem}; ${bareSecretHint}`)
  }
  if (file === undefined) return
  const why = context.exists(file) ? context.whyUnfit(file, mostSecretBytes) : undefined
  if (why === null) {
    if (context.strict) checkContent(file, [...path, 'file'], context)
    return
  }
  context.report.problem(
    [...path, 'file'],
    `names the file \`${file}\`${why === undefined ? ', which does not exist' : `: ${why}`}`,
  )
}

function checkContent(file: string, path: KeyPath, { report, read }: Context): void {
  try {
    const problem = secretProblem(read(file))
    const hint = problem === 'is empty' ? '' : `; ${bareSecretHint}`
    if (problem !== null) report.problem(path, `names the file \`${file}\`, which ${problem}${hint}`)
  } catch {
    report.problem(path, `names the file \`${file}\`, which cannot be read`)
  }
}

/** Shows only plausible variable names, because people paste tokens here. */
function variable(name: string): string {
  const plausible = name.length < 20 || /^[A-Z][A-Z\d_]*$/.test(name)
  return plausible
    ? `the environment variable \`${name}\``
    : 'an environment variable (not shown, as it may be a token)'
}

/** True when exactly one of `keys` is set; else reports a problem. */
function checkOneSource(
  raw: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  path: KeyPath,
  { report }: Context,
): boolean {
  const named = keys.filter((key) => raw[key] !== undefined)
  if (named.length === 1) return true
  const found = named.length === 0 ? 'names no source' : `names ${named.length} sources (${named.join(', ')})`
  report.problem(path, `${found}; expected exactly one of ${keys.join(', ')}`)
  return false
}

const oauth2Fields = {
  tokenUrl: tokenUrl(),
  clientId: text('expected the id of the OAuth 2 client'),
  clientSecret: z.unknown(),
  scope: text('expected the OAuth 2 scopes to request').nullish(),
}

function readOAuth2(raw: unknown, path: KeyPath, context: Context): OAuth2Settings | undefined {
  const section = readSection(oauth2Fields, raw, path, context.report)
  const clientSecret = readClientSecret(section.clientSecret, [...path, 'clientSecret'], context)
  const { tokenUrl, clientId, scope = null } = section
  if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined
  return { tokenUrl, clientId, clientSecret, scope }
}

function readClientSecret(raw: unknown, path: KeyPath, context: Context): OAuth2Settings['clientSecret'] | undefined {
  if (!isMap(raw)) {
    context.report.wrongKind(path, raw, 'expected { env: NAME } or { file: PATH }; do not write the secret itself here')
    return undefined
  }
  const section = readSection(secretFields, raw, path, context.report)
  if (!checkOneSource(raw, ['env', 'file'], path, context)) return undefined
  return variableOrFile(section, path, context)
}

function variableOrFile(
  section: { env?: string; file?: string },
  path: KeyPath,
  context: Context,
): { readonly env: string } | { readonly file: string } | undefined {
  checkSecret(section, path, context)
  const { env, file } = section
  if (env !== undefined) return { env }
  return file === undefined ? undefined : { file }
}

const wantedCommand =
  'expected a list of strings: a program and its arguments, such as [vault, read, -field=token, acme]'

const sourceFields = {
  ...secretFields,
  command: z
    .array(z.string({ error: 'expected a text' }), { error: wantedCommand })
    .min(1, { error: wantedCommand })
    .refine(([program]) => program !== '', { error: wantedCommand })
    .optional(),
}

/** @returns undefined, with a reported problem, unless exactly one source is usable. @param what names the secret. */
export function readSecretSource(
  raw: unknown,
  path: KeyPath,
  context: Context,
  what: string,
): SecretSource | undefined {
  if (!isMap(raw)) {
    const wanted = 'expected one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }'
    context.report.wrongKind(path, raw, `${wanted}; do not write ${what} itself here`)
    return undefined
  }
  const section = readSection(sourceFields, raw, path, context.report)
  if (!checkOneSource(raw, Object.keys(sourceFields), path, context)) return undefined
  return usableSource(section, path, context)
}

function usableSource(
  section: { env?: string; file?: string; command?: string[] },
  path: KeyPath,
  context: Context,
): SecretSource | undefined {
  const { command } = section
  if (command === undefined) return variableOrFile(section, path, context)
  // The message omits the program, because people write the secret there.
  const [program = ''] = command
  if ((context.strict || mayBeToken(program)) && !context.isProgram(program))
    context.report.problem([...path, 'command'], 'names a program that does not exist or that this user cannot execute')
  return { command }
}

const tokenFields = { ...sourceFields, oauth2: z.unknown() }

function readTokenSource(raw: unknown, path: KeyPath, context: Context): AuthSettings['token'] | undefined {
  if (!isMap(raw)) {
    const wanted = 'expected one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }, { oauth2: … }'
    const advice = typeof raw === 'string' ? `${wanted}; do not write the token itself here` : wanted
    context.report.wrongKind(path, raw, advice)
    return undefined
  }
  const section = readSection(tokenFields, raw, path, context.report)
  if (!checkOneSource(raw, Object.keys(tokenFields), path, context)) return undefined
  if (raw['oauth2'] === undefined) return usableSource(section, path, context)
  const oauth2 = readOAuth2(raw['oauth2'], [...path, 'oauth2'], context)
  return oauth2 === undefined ? undefined : { oauth2 }
}

const fields = {
  header: headerName().optional(),
  scheme: text('expected one word such as Bearer, or "" to send the bare token', /^[\w!#$%&'*+.^`|~-]*$/).optional(),
  token: z.unknown(),
}

/** Undefined, with a reported problem, without a usable token source. */
export function readAuth(raw: unknown, path: KeyPath, context: Context): AuthSettings | undefined {
  const section = readSection(fields, raw, path, context.report)
  if (!isMapOrEmpty(raw)) return undefined
  const token = readTokenSource(section.token, [...path, 'token'], context)
  const { header = 'Authorization', scheme = 'Bearer' } = section
  return token === undefined ? undefined : { header, scheme, token }
}

function headerName() {
  const wanted =
    'expected the name of a header that can carry the token, such as Authorization or X-Api-Key; Host, User-Agent and headers of proxies or of the body are not allowed'
  return text(wanted, /^/).refine(canCarryToken, { error: wanted })
}
