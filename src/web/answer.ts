import type { Socket } from 'node:net'
import type { WebAccess } from './web-options.ts'

/** A parsed request. No route reads a body. */
export interface WebRequest {
  readonly method: string
  /** Percent-decoded; unchanged if it has invalid escapes. */
  readonly path: string
  /**
   * The Host header (empty in HTTP/1.0 without one) and the host of an absolute request target (RFC 9112,
   * 3.2.2).
   */
  readonly hosts: readonly string[]
  /** The first value of each parameter. */
  readonly query: Readonly<Record<string, string>>
  /** A parameter that occurs more than once; null = none. */
  readonly repeated: string | null
  /** Looks up a lower-case name; several headers of one name are joined with commas. */
  readonly header: (name: string) => string | undefined
  /** Absent if the request did not arrive over the network. */
  readonly socket?: Socket
}

export type Parsed<Query> =
  | { readonly ok: true; readonly query: Query }
  | { readonly ok: false; readonly message: string }

/** The words of a comma-separated text in the order of `known`; undefined if one is unknown. */
export function someOf<T extends string>(known: readonly T[], text: string): readonly T[] | undefined {
  const words = text.split(',')
  const found = known.filter((word) => words.includes(word))
  return words.every((word) => (known as readonly string[]).includes(word)) ? found : undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A text, complete pieces that are removed as they are sent, or pieces produced as fast as the client reads. */
  readonly body: string | Uint8Array[] | AsyncIterable<string>
}

type Headers = Answer['headers']

export function ofType(type: string, body: Answer['body'], headers: Headers = {}): Answer {
  return { status: 200, headers: { 'Content-Type': type, ...headers }, body }
}

export function text(status: number, body: string, headers: Headers = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=UTF-8', ...headers }, body }
}

export function json(body: unknown, status = 200, headers: Headers = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** An error answer: JSON under /api/, one line of text elsewhere. */
export function refuse({ path }: WebRequest, status: number, message: string, headers: Answer['headers'] = {}): Answer {
  return path.startsWith('/api/') ? json({ error: message }, status, headers) : text(status, `${message}\n`, headers)
}

/** On every answer: no foreign content, framing, caching, content sniffing or referrer. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

export function headersOf({ headers }: WebAccess): Readonly<Record<string, string>> {
  return { ...securityHeaders, ...headers }
}
