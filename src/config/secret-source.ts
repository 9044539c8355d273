import * as z from 'zod'
import { section, text } from './leaves.ts'
import type { Probes } from './probes.ts'
import { tokenUrl } from './urls.ts'
import { predicate } from './validate.ts'

export type SecretSource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }

export interface OAuth2Settings {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: { readonly env: string } | { readonly file: string }
  readonly scope: string | null
}

/** A rule of a text that names something outside the configuration. */
export function available(probe: (name: string) => string | null) {
  return (name: string, context: { addIssue(issue: ReturnType<typeof predicate>): void }) => {
    const problem = probe(name)
    if (problem !== null) context.addIssue(predicate('unavailable', problem))
  }
}

const wantedCommand = 'a list of strings: a program and its arguments, such as [vault, read, -field=token, acme]'
const wantedVariable = 'the name of an environment variable (letters, digits and _, not beginning with a digit)'

function variableAndFile(probes: Probes) {
  return {
    env: text(wantedVariable, /^[A-Za-z_]\w{0,63}$/)
      .superRefine(available(probes.variable))
      .optional()
      .describe('Name of an environment variable'),
    file: text('the path of a file')
      .superRefine(available(probes.secretFile))
      .optional()
      .describe('Path of a file, read again after each change'),
  }
}

function command({ program }: Probes) {
  const error = `expected ${wantedCommand}`
  return z
    .array(z.string({ error: 'expected a text' }), { error })
    .min(1, { error })
    .refine(([first]) => first !== '', { error })
    .superRefine(([first = ''], context) => available(program)(first, context))
    .optional()
    .describe('Program and arguments; its output is the secret')
}

/** A map with exactly one of the keys of `shape`. */
function oneOf<T>(shape: z.ZodRawShape, wanted: string): z.ZodType<T> {
  const names = Object.keys(shape)
  const anyOf = z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? `expected ${wanted}` : undefined),
  })
  return anyOf
    .superRefine(
      (source, context) => {
        const named = names.filter((name) => source[name] !== undefined)
        if (named.length === 1) return
        const found = named.length === 0 ? 'names no source' : `names ${named.length} sources (${named.join(', ')})`
        context.addIssue(predicate('conflict', `${found}; expected exactly one of ${names.join(', ')}`))
      },
      { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
    )
    .transform((source) => source as T)
}

/** @param what names the secret. */
export function secretSource(probes: Probes, what: string): z.ZodType<SecretSource> {
  const wanted = `one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }; do not write ${what} itself here`
  return oneOf({ ...variableAndFile(probes), command: command(probes) }, wanted)
}

export function tokenSource(probes: Probes): z.ZodType<SecretSource | { readonly oauth2: OAuth2Settings }> {
  const clientSecret = '{ env: NAME } or { file: PATH }; do not write the secret itself here'
  const oauth2 = section({
    tokenUrl: tokenUrl(),
    clientId: text('the id of the OAuth 2 client'),
    clientSecret: oneOf(variableAndFile(probes), clientSecret),
    scope: text('the OAuth 2 scopes to request').nullable().default(null),
  })
    .optional()
    .describe('OAuth 2 client credentials')
  return oneOf(
    { ...variableAndFile(probes), command: command(probes), oauth2 },
    'one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }, { oauth2: … }; do not write the token itself here',
  )
}
