import type { HonoRequest } from 'hono'
import * as z from 'zod'
import { nearest } from '../config/mistakes.ts'
import { firstOf } from '../model/text/words.ts'
import type { KnownNames } from './web-options.ts'

const longest = 200

/** A text of the query, without outer space. */
export function text(description: string) {
  return z
    .string()
    .transform((given) => given.trim().slice(0, longest).toWellFormed())
    .optional()
    .meta({ description, type: 'string' })
}

export const searchText = text(
  'Only findings with this text in the message, the entity or the check, or at the beginning of the fingerprint; where names are shown, also in those',
)

/** Known words, separated by commas, in their own order. An unknown one is refused: it would look like "nothing found". */
export function words<T extends string>(what: string, known: readonly T[], description: string) {
  const listed = z.string().transform((given, context): readonly T[] => {
    const parts = given.split(',')
    const found = known.filter((word) => parts.includes(word))
    if (parts.every((part) => (known as readonly string[]).includes(part))) return found
    context.addIssue({ code: 'custom', message: unknown(what, given, known) })
    return z.NEVER
  })
  return listed.optional().meta({ description, type: 'array', items: { type: 'string', enum: [...known] } })
}

/** One of some known words. */
export function word<T extends string>(what: string, known: readonly T[], description: string) {
  return z
    .enum(known, { error: ({ input }) => unknown(what, String(input), known) })
    .optional()
    .meta({ description })
}

function unknown(what: string, given: string, known: readonly string[]): string {
  return `Unknown ${what} "${given.slice(0, longest).toWellFormed()}": use ${known.join(', ')}`
}

/**
 * The query of a request, or why it is refused: a misspelled parameter would filter nothing, and of one given twice a
 * value would be ignored.
 */
export function parseQuery<Q extends z.ZodObject>(schema: Q, request: HonoRequest): z.output<Q> | string {
  const known = Object.keys(schema.shape)
  const given: Record<string, string> = {}
  for (const [name, [value = '', ...others]] of Object.entries(request.queries())) {
    if (!known.includes(name))
      return `Unknown parameter ${name}: ${known.length === 0 ? `${request.path} takes none` : `use ${known.join(', ')}`}`
    if (others.length > 0) return `Parameter ${name} is given more than once: give it once`
    given[name] = value
  }
  const parsed = schema.safeParse(given)
  return parsed.success ? parsed.data : (parsed.error.issues[0]?.message ?? 'The query is invalid')
}

/** Most names listed in a message; there may be a thousand tenants. */
const maxNames = 40

/** Null if all exist; an unknown name would look like "nothing found". */
export function unknownName(
  asked: Readonly<Partial<Record<'tenant' | 'check' | 'owner', string | undefined>>>,
  known: KnownNames,
): { readonly status: 400 | 404; readonly message: string } | null {
  for (const what of ['tenant', 'check', 'owner'] as const) {
    const [given, names] = [asked[what], known[`${what}s`]]
    if (given !== undefined && !names.includes(given))
      return { status: what === 'tenant' ? 404 : 400, message: sentence(what, given, names) }
  }
  return null
}

function sentence(what: string, given: string, names: readonly string[]): string {
  const meant = nearest(given.slice(0, longest), names)
  if (meant !== undefined) return `Unknown ${what} "${given}"; did you mean ${meant}?`
  return `Unknown ${what}: expected one of ${firstOf(names, maxNames)}`
}
