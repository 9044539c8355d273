import { z } from 'zod'
import type { AuthSettings } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { text, textAs } from '../yaml/leaves.ts'
import { isMapOrEmpty, readSection } from '../yaml/section.ts'
import { readTokenSource } from './token-source.ts'

/** A token of RFC 9110, section 5.6.2. */
const headerToken = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers of HTTP framing, which must not carry a token. */
const framing = ['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'transfer-encoding', 'upgrade']

const fields = {
  header: headerName().optional(),
  scheme: text('want one word such as Bearer, or "" to send the bare token', /^[\w!#$%&'*+.^`|~-]*$/).optional(),
  token: z.unknown(),
}

/** Reads the `auth` of a tenant; undefined, with a reported problem, without a usable token source. */
export function readAuth(raw: unknown, path: KeyPath, context: Context): AuthSettings | undefined {
  const section = readSection(fields, raw, path, context.report)
  if (!isMapOrEmpty(raw)) return undefined
  const token = readTokenSource(section.token, [...path, 'token'], context)
  const { header = 'Authorization', scheme = 'Bearer' } = section
  return token === undefined ? undefined : { header, scheme, token }
}

function headerName() {
  const wanted = 'want the name of a header such as Authorization or X-Api-Key'
  return textAs(wanted, (value) => {
    const good = headerToken.test(value) && !framing.includes(value.toLowerCase())
    return good ? { value } : { problem: wanted }
  })
}
